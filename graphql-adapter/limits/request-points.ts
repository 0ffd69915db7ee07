import { refusalOf } from '#http';
import type { RequestBudget } from './request-budget.ts';

/** @throws AccessError `rate_limit_exceeded` */
type Charge = (points: number) => Promise<void>;

/** Reads in the same turn of the event loop are charged together. */
export class RequestPoints {
  readonly #budget: RequestBudget;
  readonly #charge: Charge;
  #uncharged = 0;
  #charging: Promise<void> | null = null;
  #allCharges: Promise<unknown> = Promise.resolve();

  constructor(budget: RequestBudget, charge: Charge) {
    this.#budget = budget;
    this.#charge = charge;
  }

  /** If the rate limit rejects the charge, the HTTP request ends, but the promise still resolves. */
  charge(points: number): Promise<void> {
    this.#uncharged += points;
    if (this.#charging === null) {
      this.#charging = this.#chargeTogether();
      this.#allCharges = Promise.all([this.#allCharges, this.#charging]);
    }
    return this.#charging;
  }

  /** Resolves when no charge is pending. The response headers then include all charges. */
  async settle(): Promise<void> {
    await this.#allCharges;
  }

  async #chargeTogether(): Promise<void> {
    await waitForEndOfTurn();
    const points = this.#uncharged;
    this.#uncharged = 0;
    this.#charging = null;
    if (points === 0 || this.#budget.isEnded) return;
    try {
      await this.#charge(points);
    } catch (error) {
      this.#budget.end(refusalOf(error));
    }
  }
}

/** Waits until pending microtasks and ticks have run. */
function waitForEndOfTurn(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}
