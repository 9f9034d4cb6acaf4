package openai

import (
	"bytes"
	"encoding/json"
)

// Image is an image in a message.
type Image struct {
	Part   int    // its index among the parts of the content
	URL    string // an address or a data URL; empty if missing
	Detail string // low, high and so on; if empty, the model chooses
}

// imagesIn returns the images in the content of a message or an item. It reads the forms of both APIs.
func imagesIn(content json.RawMessage) []Image {
	var parts []struct {
		Type   string          `json:"type"`
		URL    json.RawMessage `json:"image_url"`
		Detail string          `json:"detail"`
	}
	if content = bytes.TrimSpace(content); len(content) == 0 || content[0] != '[' || json.Unmarshal(content, &parts) != nil {
		return nil
	}
	var images []Image
	for i, p := range parts {
		image := Image{Part: i, Detail: p.Detail}
		var deeper struct{ URL, Detail string }
		switch p.Type {
		case "image_url":
			if json.Unmarshal(p.URL, &deeper) == nil {
				image.URL, image.Detail = deeper.URL, deeper.Detail
			}
		case PartImage:
			if json.Unmarshal(p.URL, &image.URL) != nil {
				image.URL = ""
			}
		default:
			continue
		}
		images = append(images, image)
	}
	return images
}

// UnmarshalJSON reads a message with its images.
func (m *Message) UnmarshalJSON(b []byte) error {
	type plain Message
	var read struct {
		plain
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	*m = Message(read.plain)
	m.Images = imagesIn(read.Content)
	if len(read.Content) == 0 {
		return nil
	}
	return json.Unmarshal(read.Content, &m.Content)
}

// UnmarshalJSON reads an item with its images.
func (i *InputItem) UnmarshalJSON(b []byte) error {
	type plain InputItem
	var read struct {
		plain
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	*i = InputItem(read.plain)
	i.Images = imagesIn(read.Content)
	if len(read.Content) == 0 {
		return nil
	}
	return json.Unmarshal(read.Content, &i.Content)
}
