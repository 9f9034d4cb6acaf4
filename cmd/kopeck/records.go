package main

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/proxy/webhooks"
)

// tellUnsealed says in the log that keys of a version that wrote no seals are refused, and what to do.
func (s *service) tellUnsealed(ctx context.Context) error {
	n, err := s.keys.CountKeysWithoutMAC(ctx)
	if n > 0 {
		s.log.Error("keys without a seal are refused: if an older version wrote them, accept them with kopeck key seal", "keys", n)
	}
	return err
}

// headsEvery is how often the audits' ends leave the database: what was written in between can be cut off unseen.
const headsEvery = time.Hour

// tellHeads writes the signed heads of audits to the log and sends them to webhooks, at the start all of them and then
// those that have grown.
func (s *service) tellHeads(ctx context.Context, out *webhooks.Store) {
	ticker := time.NewTicker(headsEvery)
	defer ticker.Stop()
	told := map[string]int64{}
	for {
		if err := s.tellNewHeads(ctx, out, told); err != nil && ctx.Err() == nil {
			s.log.Error("tell the heads of the audits", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *service) tellNewHeads(ctx context.Context, out *webhooks.Store, told map[string]int64) error {
	heads, broken, err := s.keys.AuditHeads(ctx)
	if err != nil {
		return err
	}
	for _, id := range broken {
		s.log.Error("the audit was cut or changed outside Kopeck", "organization_id", id)
	}
	for _, h := range heads {
		if told[h.OrganizationID] == h.Length {
			continue
		}
		s.log.Info("audit head", "organization_id", h.OrganizationID, "length", h.Length, "head", h.Signed)
		if err := out.SendAuditHead(ctx, h); err != nil {
			return err
		}
		told[h.OrganizationID] = h.Length
	}
	return nil
}
