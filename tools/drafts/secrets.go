package drafts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// withoutSecrets returns the content with *** in place of the secrets in what is only shown. A write must be sent exactly
// as it is shown, so one that contains a secret is a [*check.InvalidError]. The basis stays as it is, because it is only
// compared; its names are without secrets, like those of each [object].
func (c Content) withoutSecrets() (clean Content, err error) {
	if err := checkNoSecrets(c.Writes); err != nil {
		return c, err
	}
	shown, err := json.Marshal(c.Preview)
	if err != nil {
		return c, fmt.Errorf("encode the draft: %w", err)
	}
	clean = Content{Writes: c.Writes, Basis: c.Basis}
	if err := json.Unmarshal([]byte(redact.Text(string(shown))), &clean.Preview); err != nil {
		return c, fmt.Errorf("decode the redacted draft: %w", err)
	}
	return clean, nil
}

// checkNoSecrets returns a [*check.InvalidError] that names the fields with secrets.
func checkNoSecrets(writes []Write) error {
	var problems check.InvalidError
	for _, w := range writes {
		var body any
		if err := database.FromJSON(string(w.Body), &body); err != nil {
			return fmt.Errorf("read the draft's document: %w", err)
		}
		for _, field := range secretFields("", body) {
			problems.Add(looksSecret.At(redact.Text(strings.TrimPrefix(field, "."))))
		}
	}
	return problems.OrNil()
}

// secretFields returns the paths of the texts that contain a secret. A name that does counts too.
func secretFields(path string, value any) (found []string) {
	switch v := value.(type) {
	case string:
		if redact.ContainsSecret(v) {
			found = append(found, path)
		}
	case []any:
		for i, element := range v {
			found = append(found, secretFields(fmt.Sprintf("%s.%d", path, i), element)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if redact.ContainsSecret(name) {
				found = append(found, path+"."+name)
			}
			found = append(found, secretFields(path+"."+name, v[name])...)
		}
	}
	return found
}
