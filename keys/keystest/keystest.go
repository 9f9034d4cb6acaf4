// Package keystest makes master keys for tests.
package keystest

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/kopeck/kopeck/keys"
)

// MasterKey returns a random master key.
func MasterKey() keys.MasterKey {
	var raw [32]byte
	rand.Read(raw[:])
	key, err := keys.ParseMasterKey(base64.StdEncoding.EncodeToString(raw[:]))
	if err != nil {
		panic(err)
	}
	return key
}
