package main

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/proxy/webhooks"
)

// logUnsealedKeys logs how many keys are refused because an older version wrote them without a seal, and how to accept
// them.
func (s *service) logUnsealedKeys(ctx context.Context) error {
	n, err := s.keys.CountKeysWithoutMAC(ctx)
	if n > 0 {
		s.log.Error("keys without a seal are refused: if an older version wrote them, accept them with kopeck key seal", "keys", n)
	}
	return err
}

// headsInterval is how often the heads of the audits are published. Records written after the last head could be
// removed unnoticed.
const headsInterval = time.Hour

// publishAuditHeads writes the signed heads of the audits to the log and sends them to webhooks: all of them at the
// start, and then those that have changed.
func (s *service) publishAuditHeads(ctx context.Context, out *webhooks.Store) {
	ticker := time.NewTicker(headsInterval)
	defer ticker.Stop()
	published := map[string]int64{}
	for {
		if err := s.publishNewHeads(ctx, out, published); err != nil && ctx.Err() == nil {
			s.log.Error("publish audit heads", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *service) publishNewHeads(ctx context.Context, out *webhooks.Store, published map[string]int64) error {
	heads, broken, err := s.keys.AuditHeads(ctx)
	if err != nil {
		return err
	}
	for _, id := range broken {
		s.log.Error("the audit was cut or changed outside Kopeck", "organization_id", id)
	}
	for _, h := range heads {
		if published[h.OrganizationID] == h.Length {
			continue
		}
		s.log.Info("audit head", "organization_id", h.OrganizationID, "length", h.Length, "head", h.Signed)
		if err := out.SendAuditHead(ctx, h); err != nil {
			return err
		}
		published[h.OrganizationID] = h.Length
	}
	return nil
}
