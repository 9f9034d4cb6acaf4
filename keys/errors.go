package keys

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/schemas/check"
)

// The reasons why [Store.Verify] refuses a secret. It returns ErrExpired and ErrRevoked only to the holder of the right
// secret.
var (
	// ErrMalformed: the text is not a key. This is decided without the database.
	ErrMalformed = errors.New("not an API key: its form or checksum is wrong")
	// ErrUnknown: the text has the form of a key, but is not one of ours.
	ErrUnknown = errors.New("unknown API key")
	// ErrExpired: the secret is right, but the key has expired.
	ErrExpired = errors.New("API key has expired")
	// ErrRevoked: the secret is right, but the key is revoked.
	ErrRevoked = errors.New("API key is revoked")
	// ErrAltered: the key's record has a wrong MAC. Somebody with access to the database may have raised its scopes.
	ErrAltered = errors.New("the record was changed outside Kopeck")
)

// Other errors of a [Store].
var (
	// ErrNotFound: the organization does not exist, or has no such key or connection.
	ErrNotFound       = errors.New("not found")
	ErrDenied         = errors.New("the caller does not belong to this organization")
	ErrWrongMasterKey = errors.New("the database was written with another master key")
	// ErrLimitsAltered: the limits have a wrong MAC. Somebody with access to the database may have raised or removed them.
	ErrLimitsAltered = errors.New("the limits were changed outside Kopeck")
)

// The wordings for values of fields that are not valid.
var (
	outsideBytes = check.NewWording("must be 1 to %s bytes", "допустимо от 1 до %s байт")
	wrongLength  = check.NewWording("must be 1 to %s characters", "допустимо от 1 до %s знаков")
	blank        = check.NewWording("must not be blank", "нужны не только пробелы")
	notUTF8      = check.NewWording("must be UTF-8 text", "нужен текст в UTF-8")
	withControl  = check.NewWording("must be without control characters", "не должно быть управляющих символов")
	usedBefore   = check.NewWording("must be new for another request, got %s again", "для другого запроса нужно новое значение, указано прежнее: %s")
	manyModels   = check.NewWording("must name at most %s models", "моделей может быть не больше %s")
	wrongModels  = check.NewWording("must be names of 1 to %s bytes", "название модели: от 1 до %s байт")
	wrongSum     = check.NewWording("must be 0 to %s with at most %s decimals", "допустимо от 0 до %s, знаков после запятой не больше %s")
	noCurrency   = check.NewWording("must be a code such as USD, because money is limited", "к лимиту денег нужен код валюты, например USD")
	idleCurrency = check.NewWording("must be left out, because money is not limited", "валюта не нужна без лимита денег")
	lastAdmin    = check.NewWording("must not be the organization's last valid admin key, got %s; with force it is revoked all the same",
		"это последний действующий ключ администратора организации, %s: отозвать его можно только принудительно (force)")
	inactive = check.NewWording("must be an active key's, got one that is %s", "нужен действующий ключ, а этот %s")
	states   = map[KeyState]check.Wording{
		Expired: check.NewWording("expired", "истёк"),
		Revoked: check.NewWording("revoked", "отозван"),
		Altered: check.NewWording("altered", "изменён в базе данных"),
	}
)

// AsNotFound turns [sql.ErrNoRows] into [ErrNotFound] with the kind and id of the missing object.
func AsNotFound(err error, kind, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s %q: %w", kind, id, ErrNotFound)
	}
	return err
}
