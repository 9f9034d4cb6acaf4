package sandbox

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// password is the password of the simulated employee. The login is [Employee.UID].
const password = "kopeck"

// authenticate accepts a valid token, or login and password. A request for a new token needs login and password.
func (s *Sandbox) authenticate(r *http.Request) error {
	refused := refuse(http.StatusUnauthorized, 1056, "Ошибка аутентификации: Неправильный пароль или имя пользователя или ключ авторизации")
	if login, secret, ok := r.BasicAuth(); ok {
		if login == s.books.Employee.UID && secret == password {
			return nil
		}
		return refused
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !ok || r.URL.Path == "/security/token" || !slices.Contains(s.tokens, token) {
		return refused
	}
	return nil
}

// issueToken answers POST /security/token. Earlier tokens of the employee become invalid.
func (s *Sandbox) issueToken(*request) (any, error) {
	return object{"access_token": s.issueLocked()}, nil
}

func (s *Sandbox) issueLocked() string {
	seed := hash(strings.Join(s.tokens, ""))
	token := make([]byte, 0, 24)
	for n := uint64(1); len(token) < 20; n++ {
		word := mix(seed + n)
		for range 8 {
			token = append(token, byte(word))
			word >>= 8
		}
	}
	s.tokens = []string{hex.EncodeToString(token[:20])}
	return s.tokens[0]
}

// NewToken issues a new token for the employee. Earlier tokens become invalid.
func (s *Sandbox) NewToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issueLocked()
}
