package skim

import (
	"bytes"
	"slices"
)

const (
	// bytesPerToken is the approximate length of a token.
	bytesPerToken = 4
	// imageTokens is close to the most that common providers charge for an image.
	imageTokens = 1500
	// singleTokenEvent is the length in bytes up to which an event of a stream counts as one token.
	singleTokenEvent = 400
)

// Tokens estimates the tokens of a text from its length in bytes.
func Tokens(length int) int { return length / bytesPerToken }

var (
	dataURL   = []byte(`"data:`)
	imageKeys = [][]byte{[]byte(`"url"`), []byte(`"image_url"`), []byte(`"file_data"`)}
)

// PromptTokens estimates the tokens of a body. A data URL in an image or file field counts as an image; anywhere else it is
// text.
func PromptTokens(body []byte) int {
	length, images := len(body), 0
	for rest := body; ; {
		before, after, found := bytes.Cut(rest, dataURL)
		end := bytes.IndexByte(after, '"')
		if !found || end < 0 {
			return Tokens(length) + images*imageTokens
		}
		if isImageValue(before) {
			length, images = length-end, images+1
		}
		rest = after[end:]
	}
}

// isImageValue reports whether the text before a value is the name of an image or file field.
func isImageValue(before []byte) bool {
	key, colon := bytes.CutSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(":"))
	key = bytes.TrimRight(key, " \t\r\n")
	return colon && slices.ContainsFunc(imageKeys, func(name []byte) bool { return bytes.HasSuffix(key, name) })
}

// textFields are the fields that contain an answer's text in the events of a stream.
var textFields = [][]byte{[]byte(`"content"`), []byte(`"text"`), []byte(`"delta"`), []byte(`"arguments"`), []byte(`"partial_json"`),
	[]byte(`"reasoning_content"`), []byte(`"thinking"`)}

// EventTokens estimates the tokens of the answer in one event. Most providers send one token per event, but some send many.
func EventTokens(event []byte) int {
	if len(event) <= singleTokenEvent {
		return 1
	}
	length := 0
	for _, name := range textFields {
		for rest := event; ; {
			_, after, found := bytes.Cut(rest, name)
			if !found {
				break
			}
			rest = after
			text, _ := stringAfter(after)
			length += len(text)
		}
	}
	return max(1, Tokens(length))
}
