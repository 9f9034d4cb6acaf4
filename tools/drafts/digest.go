package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/gowebpki/jcs"
)

// digestOf returns the SHA-256 hash of everything that a person confirms, written as canonical JSON (RFC 8785).
func digestOf(d Draft) (string, error) {
	content, err := json.Marshal(map[string]any{
		"organization": d.organizationID,
		"account":      d.AccountID,
		"draft":        d.ID,
		"kind":         d.Kind,
		"payload":      d.content,
		"syncId":       d.syncID,
	})
	if err != nil {
		return "", fmt.Errorf("write the draft's content: %w", err)
	}
	canonical, err := jcs.Transform(content)
	if err != nil {
		return "", fmt.Errorf("canonical form of the draft: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// codeAlphabet is Crockford's base 32. It does not have the letters I, L, O and U.
const codeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeOf returns the code of a draft, which people type: two letters for the kind, a hyphen, and six characters for the
// first 30 bits of the digest.
func codeOf(kind Kind, digest string) string {
	raw, _ := hex.DecodeString(digest[:8]) // digest comes from digestOf, so this cannot fail
	bits := uint32(raw[0])<<24 | uint32(raw[1])<<16 | uint32(raw[2])<<8 | uint32(raw[3])
	code := []byte(codePrefixes[kind] + "-")
	for shift := 27; shift >= 2; shift -= 5 {
		code = append(code, codeAlphabet[bits>>shift&31])
	}
	return string(code)
}

// confirmWords are the words that confirm a draft, each with the space that must separate it from the code.
var confirmWords = []string{"confirm ", "подтверждаю "}

// ConfirmationCode returns the code of the draft that a chat message confirms. The message must consist of one of
// confirmWords and the code; spaces and line breaks around it are ignored. No other message confirms a draft.
func ConfirmationCode(message string) (code string, ok bool) {
	message = strings.TrimSpace(message)
	for _, word := range confirmWords {
		if len(message) == len(word)+len("PO-7K3M9X") && strings.EqualFold(message[:len(word)], word) {
			code = strings.ToUpper(message[len(word):])
			return code, isCode(code)
		}
	}
	return "", false
}

// Words of messages about a draft. Those that only seem to confirm it are answered with the exact command.
var (
	likeConfirm = []string{
		"подтверждаю", "подтверди", "подтвердите", "подтвердить", "подтверждено", "подтвержден", "подтверждён", "подтверждаем",
		"confirm", "confirmed", "confirming",
	}
	likeYes = []string{
		"да", "ага", "угу", "ок", "окей", "хорошо", "давай", "согласен", "согласна", "верно", "правильно", "отлично", "готово",
		"запиши", "записывай", "записать", "делай", "сделай", "оформи", "оформляй", "оформить", "проведи", "проводи", "провести",
		"примени", "применяй", "сохрани", "сохраняй", "отправь", "отправляй",
		"yes", "yep", "yeah", "ok", "okay", "sure", "agreed", "do", "go", "proceed", "place", "apply", "save", "post", "submit", "good",
		"great", "fine", "perfect", "correct", "looks", "that's", "it's", "ahead", "все", "всё", "all",
	}
	likeNothing = []string{
		"пожалуйста", "черновик", "код", "его", "это", "этот", "я", "так", "ну", "и", "тогда", "please", "draft", "code",
		"the", "it", "this", "that", "i", "so", "and", "then",
	}
	likeOrder = []string{"заказ", "order"}
	likeStop  = []string{"нет", "стоп", "погоди", "no", "wait"}
	cancels   = []string{"cancel", "отмени", "отмените", "отменить", "отмена", "отменяй", "отменяйте"}
)

// inexact is what a message says that consists only of such words and at most one code.
type inexact struct {
	code     string // as [codeLike] returns it; empty if there is none
	confirms bool   // it says "confirm"
	agrees   bool   // it only says "yes"
}

// readInexact reports whether a message says "confirm" or "yes", or has a code, and nothing else.
func readInexact(message string) (said inexact, ok bool) {
	agrees := false
	hyphens := strings.NewReplacer("–", "-", "—", "-", "‑", "-", "−", "-")
	between := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-–—‑−'", r)
	}
	for word := range strings.FieldsFuncSeq(message, between) {
		word = strings.Trim(hyphens.Replace(word), "-")
		switch code, lower := codeLike(word), strings.ToLower(word); {
		case word == "", slices.Contains(likeNothing, lower), slices.Contains(likeOrder, lower):
		case code != "" && (said.code == "" || said.code == code):
			said.code = code
		case slices.Contains(likeConfirm, lower):
			said.confirms = true
		case slices.Contains(likeYes, lower):
			agrees = true
		default:
			return inexact{}, false
		}
	}
	said.agrees = agrees && said.code == "" && !said.confirms
	return said, agrees || said.confirms || said.code != ""
}

// codeLike returns a word in the form of a code, in capitals and with its hyphen, if it begins like one. It may have too few or too many
// characters, or some that no code has. For any other word, it returns "".
func codeLike(word string) string {
	const longest = 16
	word = strings.ToUpper(word)
	prefix, rest := word[:min(2, len(word))], word[min(2, len(word)):]
	digits, hyphen := strings.CutPrefix(rest, "-")
	if !isPrefix(prefix) || len(word) > longest || !hyphen && !strings.ContainsAny(digits, "0123456789") {
		return ""
	}
	return prefix + "-" + digits
}

// CancellationCode reports whether a chat message cancels a draft, and returns the code in it. If code is empty, the
// message is about the latest draft, see [Store.Latest]. As with [ConfirmationCode], the message must ask for nothing else.
// "Cancel this order" is about a draft, but "cancel the order" may mean an order that is written.
func CancellationCode(message string) (code string, ok bool) {
	before := ""
	for word := range strings.FieldsSeq(strings.ToLower(message)) {
		word = strings.Trim(word, ",.!")
		switch upper := strings.ToUpper(word); {
		case slices.Contains(cancels, word):
			ok = true
		case isCode(upper) && code == "":
			code = upper
		case slices.Contains(likeNothing, word), slices.Contains(likeStop, word):
		case slices.Contains(likeOrder, word) && slices.Contains([]string{"этот", "this", "that"}, before):
		default:
			return "", false
		}
		before = word
	}
	return code, ok
}

func isCode(code string) bool {
	prefix, digits, _ := strings.Cut(code, "-")
	return isPrefix(prefix) && len(digits) == 6 && strings.Trim(digits, codeAlphabet) == ""
}

func isPrefix(prefix string) bool {
	return slices.Contains(slices.Collect(maps.Values(codePrefixes)), prefix)
}
