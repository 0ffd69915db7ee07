import type {
  ContactContext,
  DeskContext,
  InvestorContext,
  OwnerContext,
  PageResult,
  SignedInContext,
} from './context.ts';

interface RouteOf<Access, Context> {
  readonly method: 'GET' | 'POST';
  /** Without the prefix `/desk`. */
  readonly path: string;
  readonly access: Access;
  /** The size limit of a form. If absent, the general limit applies. */
  readonly maxBytes?: number;
  /** True if the page reads figures of companies, so that each company gets an access record of the visit. */
  readonly readsCompanies?: true;
  handle(context: Context): PageResult | Promise<PageResult>;
}

export type Route =
  | RouteOf<'open', DeskContext>
  | RouteOf<'signed-in', SignedInContext>
  | RouteOf<'company', ContactContext>
  | RouteOf<'investor', InvestorContext>;

function routesOf<Access, Context>(access: Access) {
  type Each = RouteOf<Access, Context>;
  const of =
    (method: Each['method']) =>
    (path: string, handle: Each['handle']): Each => ({ method, path, access, handle });
  return {
    get: of('GET'),
    post: of('POST'),
  };
}

export const forAnyone = routesOf<'open', DeskContext>('open');
export const forSignedIn = routesOf<'signed-in', SignedInContext>('signed-in');
export const forContacts = routesOf<'company', ContactContext>('company');
const forInvestor = routesOf<'investor', InvestorContext>('investor');

export const forInvestors = {
  ...forInvestor,
  /**
   * Serves a page that reads figures of companies. A user who comes from another site must first confirm with a click.
   */
  read: (path: string, handle: RouteOf<'investor', InvestorContext>['handle']) => ({
    ...forInvestor.get(path, handle),
    readsCompanies: true as const,
  }),
};

const ofBoth =
  (method: 'get' | 'post') =>
  (path: string, handle: RouteOf<'company', OwnerContext>['handle']): Route[] => [
    forContacts[method](path, handle),
    forInvestors[method](path, handle),
  ];

/** A page for companies and for investors, each with its own content. */
export const forOwners = { get: ofBoth('get'), post: ofBoth('post') };

/** A path with an extension is a file, and `/events` is a stream. */
const isPage = ({ method, access, path }: Route): boolean =>
  method === 'GET' && access !== 'open' && !path.includes('.') && path !== '/events';

/** For a path without a page, the returned function returns the path of the first page. */
export function createPagePaths(routes: readonly Route[]): (path: string | undefined) => string {
  const paths = routes
    .filter(isPage)
    .map(({ path }) => path.replaceAll(/:\w+/g, '[\\w-][\\w.-]{0,99}'));
  const pages = new RegExp(`^/desk(?:${paths.join('|')})$`);
  return (path) => (path !== undefined && pages.test(path) ? path : '/desk/');
}
