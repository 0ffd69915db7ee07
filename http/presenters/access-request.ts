import {
  type AccessEvent,
  type AccessRequest,
  type Actor,
  answerBy,
  endedAt,
  type IssuedReceipt,
} from '#core';

export function presentAccessRequest(request: AccessRequest) {
  return {
    id: request.id,
    companyId: request.companyId,
    requestedScopes: [...request.requestedScopes],
    approvedScopes: [...request.approvedScopes],
    pendingScopes: [...request.pendingScopes],
    status: request.status,
    purpose: request.purpose,
    pendingPurpose: request.pendingPurpose,
    reason: request.reason,
    decidedAt: request.decidedAt?.toISOString() ?? null,
    expiresAt: request.expiresAt?.toISOString() ?? null,
    endedAt: endedAt(request)?.toISOString() ?? null,
    answerBy: answerBy(request)?.toISOString() ?? null,
    createdAt: request.createdAt.toISOString(),
  };
}

/** The actor of a change. For a contact, includes how the person signed in. */
export const presentActor = (actor: Actor) => ({
  type: actor.type,
  id: actor.id,
  ...(actor.type === 'contact' && { signedInBy: actor.signedInBy }),
});

/** One change in the history of an access request. */
export function presentAccessEvent(event: AccessEvent) {
  const { type, createdAt, actor, reason, accessRequest } = event;
  return {
    type,
    createdAt: createdAt.toISOString(),
    actor: presentActor(actor),
    reason,
    approvedScopes: [...accessRequest.approvedScopes],
    expiresAt: accessRequest.expiresAt?.toISOString() ?? null,
  };
}

export const presentReceipt = ({ id, jws }: IssuedReceipt) => ({ id, jws });
