import { createHash } from 'node:crypto';
import type { Sizes } from './sizes.ts';

type Scope = 'companies:read' | 'metrics:read' | 'sources:read';

export interface Key {
  readonly id: string;
  readonly investorId: string;
  readonly secret: string;
  readonly scopes: readonly Scope[];
  readonly state: 'live' | 'expired' | 'revoked';
}

interface Investor {
  readonly id: string;
  readonly companies: readonly string[];
}

type InvestorWithKey = Investor & { readonly key: Key };

export interface World {
  readonly keys: readonly Key[];
  /** The investors whose API keys send the load. All companies in their portfolios have granted all scopes. */
  readonly underLoad: readonly [InvestorWithKey, ...InvestorWithKey[]];
  /** An investor whose requests have all states. Only one of its four API keys can read metrics. */
  readonly mixed: Investor &
    Readonly<Record<'key' | 'narrowKey' | 'expiredKey' | 'revokedKey', Key>>;
  /** A secret in the right format that belongs to no API key. */
  readonly unknownSecret: string;
  readonly longHistories: ReadonlySet<string>;
  /** A company that isn't in the mixed investor's portfolio. */
  readonly foreignCompany: string;
}

interface Description {
  readonly companies: readonly string[];
  /** All investors. Those that send the load come first. */
  readonly investors: readonly Investor[];
  readonly mixed: Investor;
  readonly secret: () => string;
  readonly sizes: Sizes;
}

const everything: readonly Scope[] = ['companies:read', 'metrics:read', 'sources:read'];

export function describeWorld({ companies, investors, mixed, secret, sizes }: Description): World {
  const createKey = (
    investorId: string,
    scopes: readonly Scope[] = everything,
    state: Key['state'] = 'live',
  ): Key => {
    const text = secret();
    // The rate limit in Redis counts by key ID, so a repeated ID would include an earlier run's points.
    const id = `key_${createHash('md5').update(`${text}${process.pid}`).digest('hex')}`;
    return { id, investorId, secret: text, scopes, state };
  };
  const everyone = investors.map((investor) => ({ ...investor, key: createKey(investor.id) }));
  const [firstUnderLoad, ...otherUnderLoad] = everyone.slice(0, sizes.loadInvestors);
  if (firstUnderLoad === undefined) throw new Error('there is no investor under load');
  const withKeys = {
    ...mixed,
    key: createKey(mixed.id),
    narrowKey: createKey(mixed.id, ['companies:read', 'sources:read']),
    expiredKey: createKey(mixed.id, everything, 'expired'),
    revokedKey: createKey(mixed.id, everything, 'revoked'),
  };
  const { key, narrowKey, expiredKey, revokedKey } = withKeys;
  return {
    keys: [...everyone.map((investor) => investor.key), key, narrowKey, expiredKey, revokedKey],
    underLoad: [firstUnderLoad, ...otherUnderLoad],
    mixed: withKeys,
    unknownSecret: secret(),
    longHistories: new Set(companies.slice(0, sizes.longHistories)),
    foreignCompany: companies.find((id) => !mixed.companies.includes(id)) ?? 'co_nobody',
  };
}
