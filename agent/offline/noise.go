package offline

import (
	"slices"
	"strings"
)

// noiseStems are beginnings of words that ask or group and are not names of goods.
var noiseStems = strings.Fields(`
сколько осталось остат остал покаж показ скажи подскаж посмотр провер найди найти поищи посчита рассчита вычисл сделай создай дай дайте
какой какая какое какие каких какова каков когда почему откуда куда который котор
товар склад магазин запас наличи штук единиц позици продукци ассортимент каталог артикул
денег деньг сумм стои стоимост цен себестоим прибыл марж рентаб выручк оборот продаж прода закуп заказ постав отгруз
лежит лежат лежал лежащ законч кончит кончил хватит хватает точк срок сервис минимал минимум неснижа порог ниже выше
каждо кажды всего всех всем всей весь вся общ итог сейчас сегодня вчера пожалуйста можно нужно надо есть имеет
лучш хуж этом каком одном своем нашем разн обоих друг старш полгод полугод канал период начал середин конец концу конца сравн месяц недел квартал год дней день дня последн прошл текущ
`)

// noiseWords are whole words of that kind.
var noiseWords = strings.Fields(`
был была было были будет будут стало стал стала получил получила получили получилось получилась вышло вышла идет идут ушло пришло принес принесла принесли приносит приносят дает дают составил составила составили добрый доброе добрая утро вечер год года лет плиз пжл скинь и а но или да нет не ни в во на по с со из за от до для у к о об при про под над же ли бы то там тут здесь это этот эта эти тот
мне нам нас мы я ты вы мой моя мое мои моего наш наша наше наши нашем его её ее их он она они что чего чем чему кто кого кому как где ещё еще уже
теперь тогда только лишь именно имел имела имею виду ввиду шт руб р ok привет здравствуйте
only just meant mean sorry compare compared against versus vs good morning show tell give list find search look check calculate please stock inventory warehouse store hand left remain remaining available
availability quantity unit piece item product good sku worth value cost price margin profit revenue sale sold sell selling
turnover order reorder point supplier purchase shipment how many much what which when where why who whom has have had there
current today yesterday now then same total overall minimum below under least most best worst last month week quarter year day period
older than channel mover slow run up out lead time service level percent procent процент next after need article code
a an the of in on at for from to by with and or not no is are was were be been am do did it its this that these those my our your me us we i you they
them there's what's all any each every some per if can could should would will about
`)

// noise tells words that cannot be a product's name.
func noise(word string) bool {
	word = strings.Trim(word, ".,")
	return slices.Contains(noiseWords, word) || slices.Contains(noiseWords, strings.TrimSuffix(word, "s")) || slices.ContainsFunc(noiseStems, func(s string) bool { return strings.HasPrefix(word, s) })
}
