import { z } from 'zod';
import { type AccessEvent, type Actor, accessEventTypes, actorTypes, signInWays } from '#core';
import { instant, scopeList } from './fields.ts';

const actor = z
  .object({
    type: z.enum(actorTypes).meta({ description: 'The kind of actor.' }),
    id: z.string().nullable().meta({
      description: 'ID of the investor, company key or contact. Null for other actors.',
    }),
    signedInBy: z
      .enum(signInWays)
      .optional()
      .meta({ description: 'How the contact signed in. Absent for other actors.' }),
  })
  .meta({ description: 'The actor of the change.' });

export const accessEventResource = z
  .object({
    type: z.enum(accessEventTypes).meta({ description: 'The type of the change.' }),
    createdAt: instant.meta({ description: 'Time of the change, in RFC 3339.' }),
    actor,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The reason given with the change. Null if none exists.' }),
    approvedScopes: scopeList.meta({
      description: 'The approved scopes right after the change.',
    }),
    expiresAt: instant.nullable().meta({
      description:
        'The end of the grant right after the change, in RFC 3339. Null if there is no grant.',
    }),
  })
  .meta({ description: 'One change of an access request.' });

export const presentActor = (actor: Actor) =>
  ({
    type: actor.type,
    id: actor.id,
    ...(actor.type === 'contact' && { signedInBy: actor.signedInBy }),
  }) satisfies z.output<typeof actor>;

export function presentAccessEvent(event: AccessEvent) {
  const { type, createdAt, actor, reason, accessRequest } = event;
  return {
    type,
    createdAt: createdAt.toISOString(),
    actor: presentActor(actor),
    reason,
    approvedScopes: [...accessRequest.approvedScopes],
    expiresAt: accessRequest.expiresAt?.toISOString() ?? null,
  } satisfies z.output<typeof accessEventResource>;
}
