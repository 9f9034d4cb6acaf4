package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database"
)

// logKeysWithoutMAC logs how many keys have no MAC and are therefore refused, and how to accept them. Older versions wrote
// such keys.
func (s *service) logKeysWithoutMAC(ctx context.Context) error {
	n, err := s.keys.CountKeysWithoutMAC(ctx)
	if n > 0 {
		s.log.Error("keys without a seal are refused: if an older version wrote them, accept them with kopeck key seal", "keys", n)
	}
	return err
}

// headsInterval is how often the heads of the audits are published. If records after the last published head are removed,
// nobody notices.
const headsInterval = time.Hour

// publishAuditHeads logs the signed heads of the audits and sends them to webhooks. At the start it publishes all heads,
// later those that have changed.
func (s *service) publishAuditHeads(ctx context.Context, out *webhooks.Store) {
	published := map[string]int64{}
	publish := func(ctx context.Context) error { return s.publishNewHeads(ctx, out, published) }
	database.Every(ctx, headsInterval, publish, func(err error) { s.log.Error("publish audit heads", "error", err) })
}

// publishNewHeads publishes the heads whose audit is not as long as published says. A head that cannot be sent stops no others.
func (s *service) publishNewHeads(ctx context.Context, out *webhooks.Store, published map[string]int64) error {
	heads, broken, failed := s.keys.AuditHeads(ctx)
	for _, id := range broken {
		s.log.Error("the audit was cut or changed outside Kopeck", "organization_id", id)
	}
	for _, h := range heads {
		if published[h.OrganizationID] == h.Length {
			continue
		}
		s.log.Info("audit head", "organization_id", h.OrganizationID, "length", h.Length, "head", h.Signed)
		if err := out.SendAuditHead(ctx, h); err != nil {
			failed = errors.Join(failed, fmt.Errorf("organization %s: %w", h.OrganizationID, err))
			continue
		}
		published[h.OrganizationID] = h.Length
	}
	return failed
}
