package agent

import (
	"encoding/json"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/openai"
)

// UIs mark their chores by nothing, and people edit their wording. So they are known by what they are: no tools are
// offered, there is a conversation or its first message, and what asks is not that conversation but an instruction, which
// says that it wants one of these things of it. The instruction stands around a transcript, in the system message, behind
// the conversation itself, or before the text in one message.

var (
	quoted   = expression.Of(`(?is)<chat_history>(.*)</chat_history>`)
	speaker  = expression.Of(`(?im)^[ \t]*(?:[-*][ \t]+)?(?:user|human|you|assistant|ai|bot)[ \t]*:[ \t]*\S`)
	bySpeech = expression.Of(`(?im)^[ \t]*(?:[-*][ \t]+)?(?:user|human|you)[ \t]*:[ \t]*(\S.*)$`)
	fenced   = expression.Of("(?s)```[^\n]*\n(.*?)```")
	keyed    = expression.Of(`\{\s*"(title|tags|follow_ups|queries|text|emoji)"\s*:`)
	inJSON   = expression.Of(`"(?:text|content|mainText)"\s*:\s*("(?:[^"\\]|\\.)+")`)
	sentence = expression.Of(`[.!?。！？:：\n]+`)
)

// A chore asks for one of the first (a title) of one of the second (a conversation), both in one sentence.
const (
	someTitle = `(?:titles?|tags?|follow[- _]?ups?)`
	someTalk  = `(?:conversations?|chats?|threads?|dialog(?:ue)?s?|discussions?|messages?)`
	ofTalk    = `(?i)\b` + someTalk + `(?:'s)? (?:into an? |an? )?` + someTitle + `\b` +
		`|\b` + someTitle + `\b(?: [^ ]+){0,8}? (?:for|of|from|on|about|summari[sz]\pL+|describ\pL+|captur\pL+)(?: [^ ]+){0,3} ` + someTalk + `\b` +
		`|заголов\pL*(?: [^ ]+){0,4} (?:бесед|диалог|чат|переписк|сообщени)\pL*|назван\pL+ (?:эт\pL+ |наш\pL+ )?(?:бесед|диалог|чат|переписк)\pL*` +
		`|(?:会话|对话|聊天|消息|这句话).{0,30}(?:标题|主题)|(?:标题|主题).{0,30}(?:会话|对话|聊天|消息)`
)

var (
	titleOfTalk = expression.Of(ofTalk)
	nameOfTalk  = expression.Of(ofTalk + `|\b` + someTalk + ` an? (?:short )?name\b|\bname (?:for )?(?:this|the|our) ` + someTalk + `\b`)
	sumOfTalk   = expression.Of(`(?i)\bsummari[sz]e (?:the|this|our) ` + someTalk + `|总结|резюм`)
	titleOnly   = expression.Of(`(?i)\btitle only\b|\bonly (?:the |a )?(?:[^ ]+ )?title\b|только заголов`)
)

// says gives the first of a text's beginning sentences that is such, empty for none. What comes later is detail.
func says(text string, such *expression.Expression) string {
	const first = 3
	for range first {
		said := strings.TrimSpace(text)
		text = ""
		if at := sentence.FindStringIndex(said); at != nil {
			said, text = said[:at[0]], said[at[1]:]
		}
		if said = strings.Join(strings.Fields(said), " "); such.MatchString(said) {
			return said
		}
	}
	return ""
}

// readChore knows a chore.
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
		return behindTalk(chat.Messages)
	}
	const most = 2 // an instruction and what it is about
	if len(users) == 0 || len(users) > most {
		return chore{}, false
	}
	rules, text := strings.Join(system, "\n"), strings.Join(users, "\n\n")
	if around, talk, found := transcript(rules + "\n" + text); found {
		return newChore(around, around, talk)
	}
	if wish := says(rules, titleOfTalk); wish != "" {
		return newChore(wish, rules, text)
	}
	if at := fenced.FindStringSubmatchIndex(text); at != nil {
		if wish := says(text[:at[0]], nameOfTalk); wish != "" {
			return newChore(wish, text[:at[0]]+text[at[1]:], text[at[2]:at[3]])
		}
	}
	if begin := strings.IndexAny(text, ":\"«"); len(system) == 0 && begin >= 0 {
		if wish := says(text[:begin], titleOnly); wish != "" {
			return newChore(wish, text[:begin], text[begin+1:])
		}
	}
	return chore{}, false
}

// behindTalk knows a chore whose instruction is the last message after the conversation, and quotes no other.
func behindTalk(messages []openai.Message) (chore, bool) {
	const longest = 600 // bytes of an instruction
	last := messages[len(messages)-1]
	asked := string(last.Content)
	system := last.Role == openai.RoleSystem || last.Role == openai.RoleDeveloper
	_, _, quotes := transcript(asked)
	if quotes || len(asked) > longest || !system && last.Role != openai.RoleUser {
		return chore{}, false
	}
	wish := says(asked, titleOfTalk)
	if wish == "" && system {
		wish = says(asked, sumOfTalk)
	}
	if wish == "" {
		return chore{}, false
	}
	var talk strings.Builder
	for _, m := range messages[:len(messages)-1] {
		if m.Content != "" && (m.Role == openai.RoleUser || m.Role == openai.RoleAssistant) {
			talk.WriteString(m.Role + ": " + string(m.Content) + "\n")
		}
	}
	return newChore(wish, asked, talk.String())
}

// newChore is what a wish, of an instruction about a conversation, is for. A name is a title.
func newChore(wish, instruction, talk string) (chore, bool) {
	c := chore{talk: talk, topic: topicOf(talk)}
	c.lang = render.Language(c.topic)
	for _, w := range wanted {
		if w.words.MatchString(wish) {
			c.kind = w.kind
			break
		}
	}
	if c.kind == "" && nameOfTalk.MatchString(wish) {
		c.kind = "title"
	}
	if c.kind == "" {
		return c, false
	}
	if key := keyed.FindStringSubmatch(instruction); key != nil {
		c.key, c.kind = key[1], key[1]
	}
	return c, true
}

// topicOf is what the user said first, in a transcript, in JSON, or in a text that may begin with a heading or
// with what is wanted of it.
func topicOf(talk string) string {
	if said := bySpeech.FindStringSubmatch(talk); said != nil {
		return said[1]
	}
	if value := inJSON.FindStringSubmatch(talk); value != nil {
		var text string
		if json.Unmarshal([]byte(value[1]), &text) == nil {
			return text
		}
	}
	for line := range strings.Lines(talk) {
		if heading, rest, is := strings.Cut(line, ":"); is && titleOfTalk.MatchString(heading) {
			line = rest
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return strings.Trim(line, "\"«»")
		}
	}
	return talk
}

// transcript parts a request into the conversation that it quotes and what stands around it.
func transcript(text string) (around, talk string, found bool) {
	if at := quoted.FindStringSubmatchIndex(text); at != nil {
		return text[:at[0]] + text[at[1]:], text[at[2]:at[3]], true
	}
	if at := speaker.FindStringIndex(text); at != nil {
		return text[:at[0]], text[at[0]:], true
	}
	return text, "", false
}
