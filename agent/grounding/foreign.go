package grounding

// foreign are numbers in the words of languages that answers are not written in; those that are names or words of
// Russian and English too are left out. What is said in them cannot be checked.
var foreign = except(`
	п'ять шiсть шість сiм сім вiсім вісім дев'ять десять п'ятнадцять двадцять тридцять п'ятдесят шістдесят сімдесят вісімдесят двісті триста чотириста п'ятсот шістсот сімсот вісімсот дев'ятсот тисяча тисячі тисяч мільйон мільйона мільйонів мільярд чотири
	пяцьдзясят трыццаць чатыры дзевяць дзесяць дваццаць тысяча тысячы мільён мільёнаў
	екі үш төрт алты жеті сегіз тоғыз жиырма отыз қырық елу алпыс жетпіс сексен тоқсан мың
	eins zwei vier fünf sechs sieben neun zehn zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend millionen milliarden
	deux trois quatre cinq sept huit neuf douze treize quatorze quinze vingt trente soixante mille millions
	 cuatro cinco seis siete ocho nueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa ciento cien quinientos millones
	quattro cinque sette dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento milione milioni
	dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia trzydzieści tysiąc tysięcy
	iki üç dört beş altı yedi sekiz dokuz yirmi otuz kırk altmış yetmiş seksen doksan yüz milyon milyar
	ikki uch to'rt besh olti yetti sakkiz to'qqiz o'ttiz qirq ellik `)

// except is the words of a text without those that our own numbers have.
func except(words string) map[string]bool {
	all := set(words)
	for word := range all {
		_, number := wordNumbers[word]
		_, scale := scales[word]
		if number || scale {
			delete(all, word)
		}
	}
	return all
}

// foreignStems begin or end the numbers that German joins: "achtunddreißig".
var foreignStems = []string{"unddreißig", "undzwanzig", "undvierzig", "undfünfzig", "undsechzig", "undsiebzig", "undachtzig", "undneunzig", "hundertund", "tausendund", "hunderttausend"}

// foreignNumber reports whether a word is a number of another language.
func foreignNumber(word string) bool { return foreign[word] || anyOf(word, foreignStems...) }
