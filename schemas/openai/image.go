package openai

import "encoding/json"

// Image is an image in a message.
type Image struct {
	Part   int    // its index among the parts of the content
	URL    string // an address or a data URL; empty if missing
	Detail string // low, high and so on; if empty, the model chooses
}

// imagesIn returns the images in the content of a message or an item. It reads the forms of both APIs.
func imagesIn(message []byte) []Image {
	var read struct {
		Content []struct {
			Type   string          `json:"type"`
			URL    json.RawMessage `json:"image_url"`
			Detail string          `json:"detail"`
		} `json:"content"`
	}
	if json.Unmarshal(message, &read) != nil { // the content is a string
		return nil
	}
	var images []Image
	for i, p := range read.Content {
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
	m.Images = imagesIn(b)
	return json.Unmarshal(b, (*plain)(m))
}

// UnmarshalJSON reads an item with its images.
func (i *InputItem) UnmarshalJSON(b []byte) error {
	type plain InputItem
	i.Images = imagesIn(b)
	return json.Unmarshal(b, (*plain)(i))
}
