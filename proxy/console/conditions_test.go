package console

import (
	"os/exec"
	"strings"
	"testing"
)

// A report's arguments are shown in words, and those that do not narrow the books are left out.
func TestConditionsAreShownInWords(t *testing.T) {
	script := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", `
		import {text} from 'node:stream/consumers'
		import {readFile} from 'node:fs/promises'
		const words = JSON.parse(await text(process.stdin))
		globalThis.sessionStorage = globalThis.localStorage = {setItem() {}}
		globalThis.document = {documentElement: {}}
		const file = async path => path === '/console/words.json' ? words : JSON.parse(await readFile(path.replace('/console', 'page')))
		globalThis.fetch = async path => ({json: () => file(path)})
		const {speak, conditions} = await import('./page/words.js')
		for (const language of ['ru', 'en']) {
			await speak(language)
			for (const [tool, given] of [
				['margin', {from: '2026-10-01', to: '2026-10-31', group_by: 'channel', limit: 20}],
				['abc_xyz', {metric: 'profit', cell: 'AX', warehouse: null}],
				['overdue_orders', {done_states: ['Отгружен', 'Доставлен']}],
				['stock', {query: 'чайник', warehouse: '', limit: 5}],
				['dead_stock', {min_days: 90.5}], ['money_position', {}], ['stock', undefined],
			]) console.log(conditions({tool, arguments: given, currency: 'RUB'}).map(fact => fact.join(': ')).join('; '))
		}`)
	script.Stdin = strings.NewReader(string(wordsJSON()))
	var problems strings.Builder
	script.Stderr = &problems
	out, err := script.Output()
	if err != nil {
		t.Fatalf("run node, which the tests need: %v\n%s", err, &problems)
	}
	want := `Начало периода: 1 окт. 2026; Конец периода: 31 окт. 2026
ABC по: прибыли; ячейка ABC-XYZ: AX
статус: Отгружен, Доставлен
название товара: чайник
Лежит в среднем не меньше дней: 90,5


Start of the period: 1 Oct 2026; End of the period: 31 Oct 2026
ABC by: profit; cell: AX
done states: Отгружен, Доставлен
query: чайник
In the warehouse on average at least, days: 90.5


`
	if string(out) != want {
		t.Errorf("got\n%s", out)
	}
}
