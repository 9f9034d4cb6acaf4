package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// noParallelField matches OpenAI's models that refuse the parallel_tool_calls field, o1 and o3-mini among them.
var noParallelField = regexp.MustCompile(`^o\d`)

// complete adds to langchaingo's request what it leaves out, and takes out what it should not say.
func (e *exchange) complete(body []byte) ([]byte, error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("read the model request: %w", err)
	}
	maps.Copy(request, e.fields)
	if e.sink != nil {
		request["stream"] = json.RawMessage(`true`)
		request["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	if e.offersTools {
		if !noParallelField.MatchString(e.endpoint.model) {
			request["parallel_tool_calls"] = json.RawMessage(`true`)
		}
		if _, chosen := request["tool_choice"]; !chosen {
			request["tool_choice"] = json.RawMessage(`"auto"`)
		}
	}
	// langchaingo always sends a temperature, 0 if none was asked for, which the newer reasoning models refuse.
	if string(request["temperature"]) == "0" {
		delete(request, "temperature")
	}
	if most, ok := request["max_completion_tokens"]; ok && e.endpoint.oldMaxTokens {
		request["max_tokens"] = most
		delete(request, "max_completion_tokens")
	}
	if err := nullEmptyContent(request); err != nil {
		return nil, err
	}
	return encoded(request), nil
}

// encoded is the object of fields that are JSON already. [json.Marshal] would go through each byte of them again, and the
// tools' schemas are most of a request.
func encoded(fields map[string]json.RawMessage) []byte {
	text := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(strconv.AppendQuote(text, name), ':')
		text = append(text, fields[name]...)
	}
	return append(text, '}')
}

// nullEmptyContent makes null of the empty content beside tool calls: some servers refuse an empty text.
func nullEmptyContent(request map[string]json.RawMessage) error {
	if !bytes.Contains(request["messages"], []byte(`"tool_calls"`)) {
		return nil
	}
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(request["messages"], &messages); err != nil {
		return fmt.Errorf("read the model request's messages: %w", err)
	}
	for _, m := range messages {
		if _, calls := m["tool_calls"]; calls && string(m["content"]) == `""` {
			m["content"] = json.RawMessage(`null`)
		}
	}
	var err error
	request["messages"], err = json.Marshal(messages)
	return err
}
