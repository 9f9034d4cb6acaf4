package keys

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

const sealVersion = "v1"

// sealer encrypts texts for the database with AES-256-GCM. What it makes reads v1.KEYID.NONCE+CIPHERTEXT: the version of
// this form, which master key it takes, and base64url.
type sealer struct {
	aead  cipher.AEAD
	keyID string
}

func newSealer(m MasterKey) sealer {
	block, err := aes.NewCipher(m.derive(forTokens))
	if err == nil {
		var aead cipher.AEAD
		if aead, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return sealer{aead, m.fingerprint()}
		}
	}
	panic("keys: " + err.Error()) // only for keys of a wrong length
}

// Place is where a sealed text belongs. It opens nowhere else: a row copied to another organization or object is useless
// there.
type Place struct{ OrganizationID, ObjectID, Purpose string }

func (p Place) bytes() []byte {
	return []byte(p.OrganizationID + "|" + p.ObjectID + "|" + p.Purpose)
}

// Seal encrypts a secret for the database, to be opened at the same place only.
func (s *Store) Seal(text Secret, where Place) string { return s.sealer.seal(text, where) }

// Unseal opens what [Store.Seal] made; the error never holds the text.
func (s *Store) Unseal(sealed string, where Place) (Secret, error) {
	return s.sealer.open(sealed, where)
}

func (s sealer) seal(text Secret, where Place) string {
	sealed := s.aead.Seal(nil, nil, []byte(text.Reveal()), where.bytes())
	return strings.Join([]string{sealVersion, s.keyID, base64.RawURLEncoding.EncodeToString(sealed)}, ".")
}

func (s sealer) open(sealed string, where Place) (Secret, error) {
	version, rest, _ := strings.Cut(sealed, ".")
	keyID, body, found := strings.Cut(rest, ".")
	if version != sealVersion || !found {
		return Secret{}, errors.New("open the sealed token: its form is unknown to this version of the program")
	}
	if keyID != s.keyID {
		return Secret{}, fmt.Errorf("open the sealed token: %w: fingerprint %s, given %s", ErrWrongMasterKey, keyID, s.keyID)
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return Secret{}, fmt.Errorf("open the sealed token: %w", err)
	}
	text, err := s.aead.Open(nil, nil, raw, where.bytes())
	if err != nil {
		return Secret{}, errors.New("open the sealed token: it was changed, or moved here from elsewhere")
	}
	return NewSecret(string(text)), nil
}
