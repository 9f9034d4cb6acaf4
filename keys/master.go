package keys

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const masterKeyLength = 32

// MasterKey is the secret from which all other keys are derived: those that hash API keys, encrypt upstream tokens and
// authenticate records. Without it, the database reveals neither API keys nor tokens, and no record can be changed
// unnoticed. It prints as ***.
type MasterKey struct {
	hidden
	raw [masterKeyLength]byte
}

// ParseMasterKey parses 32 bytes in base64, with or without padding.
func ParseMasterKey(text string) (MasterKey, error) {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(text), "="))
	if err != nil {
		return MasterKey{}, fmt.Errorf("the master key must be base64, and its %d characters are not", len(text))
	}
	if len(raw) != masterKeyLength {
		return MasterKey{}, fmt.Errorf("the master key must be %d bytes in base64, got %d bytes", masterKeyLength, len(raw))
	}
	key := MasterKey{raw: [masterKeyLength]byte(raw)}
	if key == (MasterKey{}) {
		return MasterKey{}, errors.New("the master key must not be all zeros")
	}
	return key, nil
}

// The purposes of derived keys. Never change a text: it would change the derived key, and everything made with the old one
// would be lost.
const (
	forHashes      = "kopeck: digest of API keys, v1"
	forTokens      = "kopeck: sealing of upstream tokens, v1"
	forRecords     = "kopeck: MACs of records, v1"
	forFingerprint = "kopeck: fingerprint of the master key, v1"
)

func (m MasterKey) derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, m.raw[:], nil, purpose, sha256.Size)
	if err != nil {
		panic("keys: derive " + purpose + ": " + err.Error()) // only for lengths that HKDF cannot produce
	}
	return key
}

// fingerprint identifies the master key without revealing it.
func (m MasterKey) fingerprint() string { return hex.EncodeToString(m.derive(forFingerprint)[:4]) }

// CheckMasterKey checks that the database was written with this master key, and records the key's fingerprint in a new
// database. The error wraps [ErrWrongMasterKey]. With a wrong key, every API key would be unknown and no token could be
// decrypted.
func (s *Store) CheckMasterKey(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, `INSERT INTO master_key (id, fingerprint) VALUES (1, $1) ON CONFLICT DO NOTHING`,
		s.fingerprint); err != nil {
		return fmt.Errorf("remember the master key's fingerprint: %w", err)
	}
	return s.CompareMasterKey(ctx)
}

// CompareMasterKey is CheckMasterKey without recording. It accepts any master key for a new database.
func (s *Store) CompareMasterKey(ctx context.Context) error {
	var known string
	err := s.db.QueryRowContext(ctx, `SELECT fingerprint FROM master_key WHERE id = 1`).Scan(&known)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("look up the master key's fingerprint: %w", err)
	}
	if err == nil && known != s.fingerprint {
		return fmt.Errorf("%w: fingerprint %s, given %s", ErrWrongMasterKey, known, s.fingerprint)
	}
	return nil
}
