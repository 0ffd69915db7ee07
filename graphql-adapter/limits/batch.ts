import type { GraphqlBounds } from '../settings.ts';
import { add, nothing, type OperationCost } from './operation-cost.ts';
import { neverSettles, type RequestBudget, refuseCostly } from './request-budget.ts';

/** Holds the operations of a batch back until all of them are measured: what they cost together is checked first. */
export class Batch {
  readonly #budget: RequestBudget;
  readonly #bounds: GraphqlBounds;
  readonly #checked = Promise.withResolvers<void>();
  #unmeasured: number;
  #cost = nothing;

  constructor(operations: number, budget: RequestBudget, bounds: GraphqlBounds) {
    this.#unmeasured = operations;
    this.#budget = budget;
    this.#bounds = bounds;
  }

  /** Resolves when the operation may run. */
  async measured(cost: OperationCost): Promise<void> {
    this.#count(cost);
    await this.#checked.promise;
    if (this.#budget.isEnded) await neverSettles();
  }

  /** For an operation that is refused or answered without being run. */
  notRun(): void {
    this.#count(nothing);
  }

  #count(cost: OperationCost): void {
    this.#cost = add(this.#cost, cost);
    this.#unmeasured -= 1;
    if (this.#unmeasured > 0) return;
    const refusal = refuseCostly(this.#cost, this.#bounds);
    if (refusal) this.#budget.end(refusal);
    this.#checked.resolve();
  }
}
