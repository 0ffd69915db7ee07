import { ensure } from '../../model/errors.ts';
import type { SignInWay } from '../../model/sign-in/sign-in-way.ts';
import type { Ports } from '../../ports/index.ts';

export const isWayOn = ({ settings }: Ports, way: SignInWay): boolean =>
  settings.signInWays.includes(way);

export const listSignInWays = (ports: Ports) => (): readonly SignInWay[] =>
  ports.settings.signInWays;

/** @throws Refusal `sign_in_way_off` */
export function requireWay(ports: Ports, way: SignInWay): void {
  ensure(isWayOn(ports, way), 'sign_in_way_off', `DESK_SIGN_IN doesn’t include ${way}`);
}
