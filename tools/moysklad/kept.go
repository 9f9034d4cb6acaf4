package moysklad

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"
)

// What the vendor asks of clients: keep connections, but not one that was idle for 30 s or that has served 100 requests.
//
// Source: md/_restrictions.md, connections.
const (
	connectionIdle = 25 * time.Second
	connectionUses = 100
)

const (
	mostKept = 512         // idle connections: one host, many accounts
	restless = time.Second // a connection that was used so lately is taken to be open still
)

// kept are connections to the upstream that nobody uses.
type kept struct {
	dial func(context.Context) (net.Conn, error)

	mu       sync.Mutex
	idle     []*connection // the last used is the last
	sweeping bool          // a timer runs; it ends with the last of them
}

// connection is one to the upstream. It is for one goroutine at a time.
type connection struct {
	net.Conn
	in    headReader
	out   *bufio.Writer
	uses  int
	since time.Time // when it was last used
}

// take gives the connection that was used last, or a new one. A careful caller is given none that the upstream has closed,
// as far as that can be seen.
func (k *kept) take(ctx context.Context, careful bool) (*connection, error) {
	for {
		c := k.pop()
		if c == nil {
			return k.open(ctx)
		}
		if idle := time.Since(c.since); idle < connectionIdle && (idle < restless && !careful || silent(c.Conn)) {
			return c, nil
		}
		_ = c.Close()
	}
}

func (k *kept) pop() *connection {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := len(k.idle) - 1
	if last < 0 {
		return nil
	}
	c := k.idle[last]
	k.idle[last], k.idle = nil, k.idle[:last]
	return c
}

func (k *kept) open(ctx context.Context) (*connection, error) {
	conn, err := k.dial(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, in: headReader{Reader: bufio.NewReaderSize(conn, longestLine)}, out: bufio.NewWriter(conn)}, nil
}

// put keeps a connection; false when it is not to be used any more.
func (k *kept) put(c *connection) bool {
	if c.uses >= connectionUses || c.in.Buffered() > 0 { // what came unasked would be taken for the next answer
		return false
	}
	c.since = time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.idle) >= mostKept {
		return false
	}
	k.idle = append(k.idle, c)
	if !k.sweeping {
		k.sweeping = true
		time.AfterFunc(connectionIdle, k.sweep)
	}
	return true
}

// sweep closes what was idle for too long.
func (k *kept) sweep() {
	k.mu.Lock()
	old := 0
	for old < len(k.idle) && time.Since(k.idle[old].since) >= connectionIdle {
		old++
	}
	closing := k.idle[:old:old]
	k.idle = append([]*connection(nil), k.idle[old:]...)
	if k.sweeping = len(k.idle) > 0; k.sweeping {
		time.AfterFunc(connectionIdle-time.Since(k.idle[0].since), k.sweep)
	}
	k.mu.Unlock()
	for _, c := range closing {
		_ = c.Close()
	}
}

// answered reads the head of an answer.
func (c *connection) answered() (head, error) {
	c.in.left = maxHead
	return c.in.head()
}
