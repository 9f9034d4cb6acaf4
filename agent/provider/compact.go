package provider

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/kopeck/kopeck/schemas/encoded"
)

// maxToolBytes is the maximum size in bytes of a tool's result in a request to a provider.
const maxToolBytes = 24 << 10

// compact shortens the JSON of a tool's result to at most [maxToolBytes]. It halves the longest list until the result
// fits. It sets truncated in the object that contains a shortened list. Totals do not change.
func compact(answer string) string {
	for len(answer) > maxToolBytes {
		decoder := json.NewDecoder(bytes.NewReader([]byte(answer)))
		decoder.UseNumber() // keep numbers as they are written
		var decoded any
		if err := decoder.Decode(&decoded); err != nil {
			return answer // not JSON: the text of a client's own tool
		}
		holder, key, longest := longestList(decoded)
		if len(longest) < 2 {
			return fmt.Sprintf(`{"truncated":true,"bytes":%d}`, len(answer))
		}
		holder[key] = longest[:len(longest)/2]
		holder["truncated"] = true
		answer = string(encoded.JSON(decoded))
	}
	return answer
}

// longestList returns the longest list and the object that contains it.
func longestList(value any) (holder map[string]any, key string, longest []any) {
	consider := func(h map[string]any, k string, l []any) {
		if len(l) > len(longest) {
			holder, key, longest = h, k, l
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for k, child := range v {
			if list, ok := child.([]any); ok {
				consider(v, k, list)
			}
			consider(longestList(child))
		}
	case []any:
		for _, child := range v {
			consider(longestList(child))
		}
	}
	return holder, key, longest
}
