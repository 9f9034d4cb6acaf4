package proxy

import (
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// checkImages returns an error if a message contains an image that no model would read. message returns the role, the field
// path of the content, and the images of a message.
func (s *Server) checkImages(model string, count int, message func(int) (role, path string, images []openai.Image)) error {
	for i := range count {
		role, path, images := message(i)
		for _, image := range images {
			at := fmt.Sprintf("%s.%d", path, image.Part)
			switch {
			case role != openai.RoleUser:
				return problem.InvalidField(at+".type", "must be text: a message of role %q has no images", role)
			case !s.readsImages(model):
				return problem.InvalidField(at+".type", "must be text: the model behind %.80q reads no images", model)
			case image.URL == "":
				return problem.InvalidField(at+".image_url", "is required: this service stores neither files nor images")
			case !strings.HasPrefix(image.URL, "https://") && !strings.HasPrefix(image.URL, "data:image/"):
				return problem.InvalidField(at+".image_url", "must begin with https:// or data:image/")
			}
		}
	}
	return nil
}
