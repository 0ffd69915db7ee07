import { refusalOf } from '#http';
import type { RequestBudget } from './request-budget.ts';

/** @throws AccessError `rate_limit_exceeded` */
type Charge = (points: number) => Promise<void>;

/** The points of one request: what is to be read in one turn of the event loop is charged together, and then read. */
export class RequestPoints {
  readonly #budget: RequestBudget;
  readonly #charge: Charge;
  #owed = 0;
  #charging: Promise<void> | null = null;
  #all: Promise<unknown> = Promise.resolve();

  constructor(budget: RequestBudget, charge: Charge) {
    this.#budget = budget;
    this.#charge = charge;
  }

  /** Resolves when the points are charged, or have ended the request because the rate limit has no room for them. */
  owe(points: number): Promise<void> {
    this.#owed += points;
    if (this.#charging === null) {
      this.#charging = this.#chargeTogether();
      this.#all = Promise.all([this.#all, this.#charging]);
    }
    return this.#charging;
  }

  /** Resolves once no charge is under way, so that the headers tell of all of them. */
  async settle(): Promise<void> {
    await this.#all;
  }

  async #chargeTogether(): Promise<void> {
    await endOfTurn();
    const points = this.#owed;
    this.#owed = 0;
    this.#charging = null;
    if (points === 0 || this.#budget.isEnded) return;
    try {
      await this.#charge(points);
    } catch (error) {
      this.#budget.end(refusalOf(error));
    }
  }
}

/** After everything that can go on without waiting for the outside has gone on. */
function endOfTurn(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}
