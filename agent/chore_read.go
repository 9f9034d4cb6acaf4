package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/openai"
)

// UIs do not mark their chores, and people edit the prompts. So a chore is recognized by its form: a request without
// tools that contains a conversation, or its first message, and an instruction about it. The instruction surrounds a
// transcript, is the system message, follows the conversation, or precedes the text in one message.

var (
	chatHistory = regexp.MustCompile(`(?is)<chat_history>(.*)</chat_history>`)
	speakerLine = regexp.MustCompile(`(?im)^[ \t]*(?:[-*][ \t]+)?(?:user|human|you|assistant|ai|bot)[ \t]*:[ \t]*\S`)
	userLine    = regexp.MustCompile(`(?im)^[ \t]*(?:[-*][ \t]+)?(?:user|human|you)[ \t]*:[ \t]*(\S.*)$`)
	fencedBlock = regexp.MustCompile("(?s)```[^\n]*\n(.*?)```")
	jsonKey     = regexp.MustCompile(`\{\s*"(title|tags|follow_ups|queries|text|emoji)"\s*:`)
	jsonText    = regexp.MustCompile(`"(?:text|content|mainText)"\s*:\s*("(?:[^"\\]|\\.)+")`)
	sentenceEnd = regexp.MustCompile(`[.!?。！？:：\n]+`)
)

// A chore asks in one sentence for a title (titleWords) of a conversation (conversationWords).
const (
	titleWords        = `(?:titles?|tags?|follow[- _]?ups?)`
	conversationWords = `(?:conversations?|chats?|threads?|dialog(?:ue)?s?|discussions?|messages?)`
	titlePattern      = `(?i)\b` + conversationWords + `(?:'s)? (?:into an? |an? )?` + titleWords + `\b` +
		`|\b` + titleWords + `\b(?: [^ ]+){0,8}? (?:for|of|from|on|about|summari[sz]\pL+|describ\pL+|captur\pL+)(?: [^ ]+){0,3} ` + conversationWords + `\b` +
		`|заголов\pL*(?: [^ ]+){0,4} (?:бесед|диалог|чат|переписк|сообщени)\pL*|назван\pL+ (?:эт\pL+ |наш\pL+ )?(?:бесед|диалог|чат|переписк)\pL*` +
		`|(?:会话|对话|聊天|消息|这句话).{0,30}(?:标题|主题)|(?:标题|主题).{0,30}(?:会话|对话|聊天|消息)`
)

var (
	asksForTitle = lazily(titlePattern)
	asksForName  = lazily(titlePattern +
		`|\b` + conversationWords + ` an? (?:short )?name\b|\bname (?:for )?(?:this|the|our) ` + conversationWords + `\b`)
	asksForSummary   = regexp.MustCompile(`(?i)\bsummari[sz]e (?:the|this|our) ` + conversationWords + `|总结|резюм`)
	asksForTitleOnly = regexp.MustCompile(`(?i)\btitle only\b|\bonly (?:the |a )?(?:[^ ]+ )?title\b|только заголов`)
)

// lazily compiles a large expression on first use: each of these takes 2 ms and 0.6 MB.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// matchingSentence returns the first of the first three sentences that matches, or "". Later sentences are details.
func matchingSentence(text string, pattern *regexp.Regexp) string {
	const sentences = 3
	for range sentences {
		sentence := strings.TrimSpace(text)
		text = ""
		if at := sentenceEnd.FindStringIndex(sentence); at != nil {
			sentence, text = sentence[:at[0]], sentence[at[1]:]
		}
		if sentence = strings.Join(strings.Fields(sentence), " "); pattern.MatchString(sentence) {
			return sentence
		}
	}
	return ""
}

func readChore(chat openai.ChatRequest) (chore, bool) {
	if len(chat.Tools) > 0 || len(chat.Messages) == 0 {
		return chore{}, false
	}
	var system, users []string
	answered := false
	for _, m := range chat.Messages {
		switch m.Role {
		case openai.RoleUser:
			users = append(users, string(m.Content))
		case openai.RoleSystem, openai.RoleDeveloper:
			system = append(system, string(m.Content))
		default:
			answered = true
		}
	}
	if answered {
		return trailingChore(chat.Messages)
	}
	const most = 2 // the instruction and the text that it is about
	if len(users) == 0 || len(users) > most {
		return chore{}, false
	}
	rules, text := strings.Join(system, "\n"), strings.Join(users, "\n\n")
	if around, conversation, found := cutTranscript(rules + "\n" + text); found {
		return newChore(around, around, conversation)
	}
	if wish := matchingSentence(rules, asksForTitle()); wish != "" {
		return newChore(wish, rules, text)
	}
	if at := fencedBlock.FindStringSubmatchIndex(text); at != nil {
		if wish := matchingSentence(text[:at[0]], asksForName()); wish != "" {
			return newChore(wish, text[:at[0]]+text[at[1]:], text[at[2]:at[3]])
		}
	}
	if begin := strings.IndexAny(text, ":\"«"); len(system) == 0 && begin >= 0 {
		if wish := matchingSentence(text[:begin], asksForTitleOnly); wish != "" {
			return newChore(wish, text[:begin], text[begin+1:])
		}
	}
	return chore{}, false
}

// trailingChore recognizes a chore whose instruction follows the conversation as its last message.
func trailingChore(messages []openai.Message) (chore, bool) {
	const longest = 600 // bytes
	last := messages[len(messages)-1]
	asked := string(last.Content)
	system := last.Role == openai.RoleSystem || last.Role == openai.RoleDeveloper
	_, _, quotes := cutTranscript(asked)
	if quotes || len(asked) > longest || !system && last.Role != openai.RoleUser {
		return chore{}, false
	}
	wish := matchingSentence(asked, asksForTitle())
	if wish == "" && system {
		wish = matchingSentence(asked, asksForSummary)
	}
	if wish == "" {
		return chore{}, false
	}
	var conversation strings.Builder
	for _, m := range messages[:len(messages)-1] {
		if m.Content != "" && (m.Role == openai.RoleUser || m.Role == openai.RoleAssistant) {
			conversation.WriteString(m.Role + ": " + string(m.Content) + "\n")
		}
	}
	return newChore(wish, asked, conversation.String())
}

// newChore creates a chore from the sentence that asks for it. A request for a name is a request for a title.
func newChore(request, instruction, transcript string) (chore, bool) {
	c := chore{transcript: transcript, firstMessage: firstUserMessage(transcript)}
	c.lang = render.Language(c.firstMessage)
	for _, w := range choreKinds {
		if w.pattern.MatchString(request) {
			c.kind = w.kind
			break
		}
	}
	if c.kind == "" && asksForName().MatchString(request) {
		c.kind = "title"
	}
	if c.kind == "" {
		return c, false
	}
	if key := jsonKey.FindStringSubmatch(instruction); key != nil {
		c.key, c.kind = key[1], key[1]
	}
	return c, true
}

// firstUserMessage returns the user's first message in a transcript, in JSON, or in a text that may begin with a
// heading or with the instruction.
func firstUserMessage(transcript string) string {
	if found := userLine.FindStringSubmatch(transcript); found != nil {
		return found[1]
	}
	if value := jsonText.FindStringSubmatch(transcript); value != nil {
		var text string
		if json.Unmarshal([]byte(value[1]), &text) == nil {
			return text
		}
	}
	for line := range strings.Lines(transcript) {
		if heading, rest, is := strings.Cut(line, ":"); is && asksForTitle().MatchString(heading) {
			line = rest
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return strings.Trim(line, "\"«»")
		}
	}
	return transcript
}

// cutTranscript separates the conversation that a request quotes from the text around it.
func cutTranscript(text string) (around, conversation string, found bool) {
	if at := chatHistory.FindStringSubmatchIndex(text); at != nil {
		return text[:at[0]] + text[at[1]:], text[at[2]:at[3]], true
	}
	if at := speakerLine.FindStringIndex(text); at != nil {
		return text[:at[0]], text[at[0]:], true
	}
	return text, "", false
}
