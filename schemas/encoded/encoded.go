// Package encoded encodes values whose encoding cannot fail.
package encoded

import (
	"encoding/json"
	"fmt"
)

// JSON encodes a value. It panics if the value has no JSON form, which is a bug of the caller.
func JSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return text
}
