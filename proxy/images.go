package proxy

import (
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/schemas/openai"
)

// checkImages rejects images that no model would read. of returns the role, path and images of a message.
func (s *Server) checkImages(model string, messages int, of func(int) (role, content string, images []openai.Image)) error {
	for i := range messages {
		role, content, images := of(i)
		for _, image := range images {
			at := fmt.Sprintf("%s.%d", content, image.Part)
			switch {
			case role != openai.RoleUser:
				return invalidFields(field{at + ".type", fmt.Sprintf("must be text: a message of role %q has no images", role)})
			case !s.readsImages(model):
				return invalidFields(field{at + ".type", fmt.Sprintf("must be text: the model behind %.80q reads no images", model)})
			case image.URL == "":
				return invalidFields(field{at + ".image_url", "must be there: this service keeps neither files nor images"})
			case !strings.HasPrefix(image.URL, "https://") && !strings.HasPrefix(image.URL, "data:image/"):
				return invalidFields(field{at + ".image_url", "must begin with https:// or data:image/"})
			}
		}
	}
	return nil
}

// readsImages reports whether the model behind a name of the agent reads images.
func (s *Server) readsImages(name string) bool {
	model := s.modelBehind(name)
	return model != nil && model.Vision
}
