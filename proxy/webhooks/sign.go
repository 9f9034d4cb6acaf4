package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys"
)

const secretPrefix = "whsec_"

// sign sets the three headers that authenticate a message: its id, the time of this attempt, and an HMAC-SHA-256 over both
// and the body (Standard Webhooks 1.0.0, "Signature scheme").
func sign(header http.Header, secret keys.Secret, id string, at time.Time, body []byte) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), secretPrefix))
	if err != nil {
		return fmt.Errorf("decode the webhook's secret: %w", err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", stamp)
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}
