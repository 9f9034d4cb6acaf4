package moysklad_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/cputest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// BenchmarkDecode decodes one large answer of each kind that tools read, as the simulated account sends it. It compares
// the decoder of this package with encoding/json.
func BenchmarkDecode(b *testing.B) {
	account := sandbox.New(sandbox.Config{
		Seed: 8, Products: 1000, Warehouses: 20, Unlimited: true,
		Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, moysklad.Moscow) },
	})
	const autumn = "momentFrom=2026-09-01%2000:00:00&momentTo=2026-11-20%2023:59:59"
	for _, shape := range []struct {
		name, path string
		ours, std  func(io.Reader) (int, error)
	}{
		{"stock by warehouse", "/report/stock/bystore/current?include=zeroLines", current, stdCurrent},
		{"stock report", "/report/stock/all?limit=1000", rows[moysklad.StockRow], stdRows[moysklad.StockRow]},
		{"products", "/entity/product?fields=minimumStock", rows[moysklad.Product], stdRows[moysklad.Product]},
		{"orders with lines", "/entity/customerorder?limit=100&expand=positions", rows[moysklad.Document], stdRows[moysklad.Document]},
		{"profit", "/report/profit/byvariant?" + autumn, rows[moysklad.ProfitRow], stdRows[moysklad.ProfitRow]},
		{"turnover", "/report/turnover/all?groupBy=variant&" + autumn, rows[moysklad.TurnoverRow], stdRows[moysklad.TurnoverRow]},
	} {
		body := answerOf(b, account, shape.path)
		for name, decode := range map[string]func(io.Reader) (int, error){"ours": shape.ours, "std": shape.std} {
			b.Run(shape.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				used := cputest.Used(b)
				for b.Loop() {
					if n, err := decode(bytes.NewReader(body)); err != nil || n == 0 {
						b.Fatal(n, err)
					}
				}
				b.ReportMetric(float64(len(body)*b.N)/1e6/(cputest.Used(b)-used).Seconds(), "MB/CPU-s")
			})
		}
	}
}

func answerOf(b *testing.B, account *sandbox.Sandbox, path string) []byte {
	server := httptest.NewServer(account.Handler())
	defer server.Close()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+path, nil)
	must(b, err)
	request.Header.Set("Authorization", "Bearer "+account.Token())
	answer, err := http.DefaultClient.Do(request)
	must(b, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("%s: %d %.200s %v", path, answer.StatusCode, body, err)
	}
	return body
}

func rows[T any](body io.Reader) (int, error) {
	rows, err := moysklad.DecodePage[T](body)
	return len(rows), err
}

func stdRows[T any](body io.Reader) (int, error) {
	var page struct{ Rows []T }
	err := json.NewDecoder(body).Decode(&page)
	return len(page.Rows), err
}

func current(body io.Reader) (int, error) {
	report, err := moysklad.DecodeCurrent(body)
	if err != nil {
		return 0, err
	}
	return report.Bytes(), nil
}

func stdCurrent(body io.Reader) (int, error) {
	var rows []struct {
		AssortmentID string
		StoreID      *string
		Stock        *moysklad.Quantity
	}
	err := json.NewDecoder(body).Decode(&rows)
	return len(rows), err
}
