package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxToolBytes is how much of one tool's answer a provider's model reads.
const MaxToolBytes = 24 << 10

// Compact shortens the JSON of a tool's answer to at most [MaxToolBytes]: the longest lists are cut by half until it
// fits, and the object that holds a cut list is marked truncated. Totals stay.
func Compact(answer string) string {
	for len(answer) > MaxToolBytes {
		decoder := json.NewDecoder(bytes.NewReader([]byte(answer)))
		decoder.UseNumber() // figures as they were written
		var decoded any
		if err := decoder.Decode(&decoded); err != nil {
			return answer // text of a client's own tool
		}
		holder, key, longest := longestList(decoded)
		if len(longest) < 2 {
			return fmt.Sprintf(`{"truncated":true,"bytes":%d}`, len(answer))
		}
		holder[key] = longest[:len(longest)/2]
		holder["truncated"] = true
		shorter, err := json.Marshal(decoded)
		if err != nil {
			panic(err) // what was decoded encodes again
		}
		answer = string(shorter)
	}
	return answer
}

// longestList finds the list with the most elements, and the object that holds it.
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
