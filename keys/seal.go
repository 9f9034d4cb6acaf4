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

// sealer encrypts texts for the database with AES-256-GCM. Its output is VERSION.KEYID.DATA: the version of the format
// (v1), the master key's fingerprint, and nonce and ciphertext in base64url.
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
	panic("keys: " + err.Error()) // happens only for keys of the wrong length
}

// SealBinding is the place in the database that a sealed text belongs to. If the text is copied elsewhere, it cannot be
// unsealed.
type SealBinding struct{ OrganizationID, ObjectID, Purpose string }

func (b SealBinding) bytes() []byte {
	return []byte(b.OrganizationID + "|" + b.ObjectID + "|" + b.Purpose)
}

// Seal encrypts a secret for the database. [Store.Unseal] needs the same binding.
func (s *Store) Seal(text Secret, binding SealBinding) string { return s.sealer.seal(text, binding) }

// Unseal decrypts the output of [Store.Seal]. The error never contains the text.
func (s *Store) Unseal(sealed string, binding SealBinding) (Secret, error) {
	return s.sealer.open(sealed, binding)
}

func (s sealer) seal(text Secret, binding SealBinding) string {
	sealed := s.aead.Seal(nil, nil, []byte(text.Reveal()), binding.bytes())
	return strings.Join([]string{sealVersion, s.keyID, base64.RawURLEncoding.EncodeToString(sealed)}, ".")
}

func (s sealer) open(sealed string, binding SealBinding) (Secret, error) {
	version, rest, _ := strings.Cut(sealed, ".")
	keyID, body, found := strings.Cut(rest, ".")
	if version != sealVersion || !found {
		return Secret{}, errors.New("unseal the token: its format is unknown to this version")
	}
	if keyID != s.keyID {
		return Secret{}, fmt.Errorf("unseal the token: %w: fingerprint %s, given %s", ErrWrongMasterKey, keyID, s.keyID)
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return Secret{}, fmt.Errorf("unseal the token: %w", err)
	}
	text, err := s.aead.Open(nil, nil, raw, binding.bytes())
	if err != nil {
		return Secret{}, errors.New("unseal the token: it was changed, or copied from another record")
	}
	return NewSecret(string(text)), nil
}
