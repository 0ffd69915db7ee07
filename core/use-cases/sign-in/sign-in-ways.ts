import { ensure } from '../../model/errors.ts';
import type { SignInWay } from '../../model/sign-in/sign-in-way.ts';
import type { Ports } from '../../ports/index.ts';

type WithSettings = Pick<Ports, 'settings'>;

export const isWayOn = ({ settings }: WithSettings, way: SignInWay): boolean =>
  settings.signInWays.includes(way);

export const listSignInWays = (ports: WithSettings) => (): readonly SignInWay[] =>
  ports.settings.signInWays;

/** @throws Refusal `sign_in_way_off` */
export function requireWay(ports: WithSettings, way: SignInWay): void {
  ensure(isWayOn(ports, way), 'sign_in_way_off', `DESK_SIGN_IN doesn’t include ${way}`);
}
