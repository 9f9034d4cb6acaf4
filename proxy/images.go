package proxy

import (
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/schemas/openai"
)

// look refuses the images of messages where nothing would read them. content gives the path of a message's content.
func (s *Server) look(model string, messages int, of func(int) (role, content string, images []openai.Image)) error {
	for i := range messages {
		role, content, images := of(i)
		for _, image := range images {
			at := fmt.Sprintf("%s.%d", content, image.Part)
			switch {
			case role != openai.RoleUser:
				return invalidFields(field{at + ".type", fmt.Sprintf("must be text: a message of role %q has no images", role)})
			case !s.sees(model):
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

// sees tells whether the model behind a name of the agent reads images.
func (s *Server) sees(name string) bool {
	model := s.behind(name)
	return model != nil && model.Vision
}
