import { z } from 'zod';
import { parseInput } from '../../model/input.ts';
import { isWellFormedLinkToken } from '../../model/sign-in/sign-in-link.ts';
import type { Ports } from '../../ports/index.ts';
import { browserInput, type OpenedSession, prepareSession, saveLocale } from './prepare-session.ts';
import { requireWay } from './sign-in-ways.ts';

const inputSchema = browserInput.extend({ token: z.string() });

/**
 * Opens a session with the token of a sign-in link. A token works only once.
 *
 * @returns null if the link is unknown, used or expired, or if no contact has the link's address
 * @throws Refusal `sign_in_way_off`
 */
export const signIn =
  (ports: Ports) =>
  async (input: z.input<typeof inputSchema>): Promise<OpenedSession | null> => {
    requireWay(ports, 'link');
    const { token, ...browser } = parseInput(inputSchema, input);
    if (!isWellFormedLinkToken(token)) return null;
    const { opened, opening } = prepareSession(ports, browser, 'link');
    const session = await ports.deskSessions.open({
      ...opening,
      digest: ports.cryptography.sha256(token),
      now: opening.newSession.session.createdAt,
    });
    if (session === null) return null;
    await saveLocale(ports, session.email, browser);
    return opened;
  };
