-- What the program that knew migrations up to 00010 says to the database, statement by statement: it must be able to say
-- the same to a database that a newer program has migrated, while both run side by side.

INSERT INTO organizations (id, name, created_at, audit_length, audit_hash) VALUES ('o', 'Shop', 1, 0, '');
INSERT INTO audit (organization_id, position, created_at, actor, action, object, details, hash)
	VALUES ('o', 1, 1, 'command line', 'key.created', 'k', '{}', '');
UPDATE organizations SET audit_length = 1, audit_hash = 'x' WHERE id = 'o' AND audit_length = 0;

INSERT INTO keys (id, organization_id, public_id, digest, name, scopes, operator, created_at, created_by, expires_at, expires_in_days)
	VALUES ('k', 'o', 'abcdefghijkl', 'digest', 'me', 'admin', 0, 1, 'command line', 2, 90);
UPDATE keys SET revoked_at = 3 WHERE organization_id = 'o' AND id = 'k' AND revoked_at IS NULL;
UPDATE keys SET last_used_at = 4 WHERE organization_id = 'o' AND id = 'k' AND (last_used_at IS NULL OR last_used_at < 4);
SELECT id, organization_id, digest, scopes, operator, expires_at, revoked_at FROM keys WHERE public_id = 'abcdefghijkl';
INSERT INTO master_key (id, fingerprint) VALUES (1, 'f') ON CONFLICT (id) DO NOTHING;

INSERT INTO connections (id, organization_id, connector, name, account_id, account_name, state, verified_at, view_cost, view_money,
	write_documents, sealed_token, created_at) VALUES ('c', 'o', 'moysklad', 'Books', 'a', 'Shop', 'verified', 1, 1, 1, 1, 'v1.k.t', 1);
UPDATE connections SET state = 'failing', view_cost = 0 WHERE organization_id = 'o' AND id = 'c';

INSERT INTO sessions (id, organization_id, key_id, title, history_digest, created_at, updated_at) VALUES ('s', 'o', 'k', '?', '', 1, 1);
UPDATE sessions SET connection_id = 'c', account_id = 'a' WHERE organization_id = 'o' AND id = 's';
UPDATE sessions SET history_digest = 'h', updated_at = 2 WHERE organization_id = 'o' AND id = 's';
INSERT INTO messages (organization_id, session_id, position, role, content, tool_calls, tool_call_id, results, created_at)
	VALUES ('o', 's', 1, 'user', '?', NULL, NULL, NULL, 2);

INSERT INTO idempotency (organization_id, key_id, idempotency_key, request_hash, created_at) VALUES ('o', 'k', 'word', 'hash', 1)
	ON CONFLICT (organization_id, key_id, idempotency_key) DO UPDATE SET created_at = excluded.created_at
	WHERE idempotency.status IS NULL AND idempotency.created_at <= 0;
UPDATE idempotency SET status = 201, body = '{}' WHERE organization_id = 'o' AND key_id = 'k' AND idempotency_key = 'word';
DELETE FROM idempotency WHERE organization_id = 'o' AND created_at <= 1;

INSERT INTO drafts (id, organization_id, connection_id, account_id, session_id, key_id, kind, code, payload, sync_id, digest, state,
	created_at, expires_at) VALUES ('d', 'o', 'c', 'a', 's', 'k', 'transfer', 'TR-7K3M9X', '{}', 'u', 'x', 'draft', 1, 9);
UPDATE drafts SET state = 'confirmed', confirmed_at = 2, confirmed_by = 'k', next_attempt_at = 0
	WHERE organization_id = 'o' AND id = 'd' AND digest = 'x' AND state = 'draft' AND expires_at > 2;
UPDATE drafts SET lease_until = 5, fence = fence + 1 WHERE state = 'confirmed' AND next_attempt_at <= 3 AND lease_until <= 3 AND id = 'd'
	RETURNING id, fence, sent_at;
UPDATE drafts SET sent_at = 4 WHERE id = 'd' AND fence = 1 AND state = 'confirmed';
UPDATE drafts SET state = 'created', document = '{}', failure = NULL, settled_at = 5, lease_until = 0
	WHERE id = 'd' AND fence = 1 AND state = 'confirmed';
DELETE FROM sessions WHERE organization_id = 'o' AND id = 's';
