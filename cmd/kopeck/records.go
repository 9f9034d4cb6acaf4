package main

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database"
)

// replacing is how long it may take to replace the replicas of an older version, which write records without MACs.
const replacing = 15 * time.Minute

// sealRecords seals what an older version has left in the database, or has it sealed in the background when other replicas
// may still be of that version.
func (s *service) sealRecords(ctx context.Context) error {
	var wait time.Duration
	if s.db.Engine == database.Postgres {
		wait = replacing
	}
	due, err := s.sealOld(ctx, wait)
	if due != nil {
		s.log.Info("the records of an older version will be sealed", "at", *due)
		s.background = append(s.background, func(ctx context.Context) { s.sealLater(ctx, *due) })
	}
	return err
}

// sealOld says loudly what it has sealed: on a database that was sealed before, somebody has taken the seals off.
func (s *service) sealOld(ctx context.Context, wait time.Duration) (due *time.Time, err error) {
	found, due, err := s.keys.SealOldRecords(ctx, wait)
	if found.Keys > 0 || found.Audits > 0 {
		s.log.Warn("records that had no seal are sealed as they are; after the first start of a version that seals, this must not happen again",
			"keys", found.Keys, "audits", found.Audits)
	}
	return due, err
}

// sealLater seals at the time, and tries again where the database was away.
func (s *service) sealLater(ctx context.Context, at time.Time) {
	for {
		select {
		case <-time.After(max(time.Until(at), 0)):
		case <-ctx.Done():
			return
		}
		due, err := s.sealOld(ctx, replacing)
		switch {
		case err != nil:
			s.log.Error("seal the records of an older version", "error", err)
			at = time.Now().Add(time.Minute)
		case due == nil:
			return
		default:
			at = *due
		}
	}
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
	heads, broken, err := s.keys.Heads(ctx)
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
		if err := out.SendHead(ctx, h); err != nil {
			return err
		}
		told[h.OrganizationID] = h.Length
	}
	return nil
}
