const isoOf = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Returns a row of access_request as the JSON that events contain. */
export const requestAsJson = `json_build_object('id', id, 'investorId', investor_id,
  'companyId', company_id, 'requestedScopes', requested_scopes, 'approvedScopes', approved_scopes,
  'previousScopes', previous_scopes, 'pendingScopes', pending_scopes, 'requestedTerms', requested_terms,
  'approvedTerms', approved_terms, 'pendingTerms', pending_terms, 'approvals', approvals, 'status', status,
  'version', version, 'amendments', amendments, 'purpose', purpose,
  'pendingPurpose', pending_purpose, 'additionDeclined', addition_declined, 'reason', reason,
  'createdAt', ${isoOf('created_at')}, 'decidedAt', ${isoOf('decided_at')},
  'expiresAt', ${isoOf('expires_at')}, 'deadlineAt', ${isoOf('deadline_at')},
  'expiringAt', ${isoOf('expiring_at')}, 'reviewAt', ${isoOf('review_at')},
  'pausedAt', ${isoOf('paused_at')}, 'firstReadAt', ${isoOf('first_read_at')}, 'lastEventType', last_event_type)::jsonb`;
