/**
 * The walls of the house. The core knows nobody; the adapters and the database know the core; only the gateway, where
 * everything is put together, and the tests see everything. A room is entered by its index.ts alone.
 */
const rooms = '^(core|db|(?:rest|graphql|trpc)-adapter|gateway)/';

export default {
  forbidden: [
    {
      name: 'core-imports-nothing',
      comment:
        'The rules must not depend on a transport, a store or a platform. Ask for a port instead. zod alone is let in, for the inputs.',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: ['^core/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'adapters-know-only-the-core',
      comment:
        'An adapter parses, calls one use case and presents. It reaches no store, no other adapter and not the gateway.',
      severity: 'error',
      from: { path: '^(rest|graphql|trpc)-adapter/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['node_modules/', '^$1-adapter/', '^core/index\\.ts$'],
      },
    },
    {
      name: 'client-loads-no-server',
      comment:
        'Who imports the client loads what tRPC’s client needs, and of this house nothing but types.',
      severity: 'error',
      from: { path: '^trpc-adapter/client' },
      to: {
        // tRPC's client loads its observable as well.
        pathNot: ['(^|/)node_modules/@trpc/(client|server/dist/observable)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client-reaches-no-server',
      comment:
        'A type of the client that leads to a package of the server makes consumers install it.',
      severity: 'error',
      from: { path: '^trpc-adapter/client' },
      to: {
        reachable: true,
        path: ['(^|/)node_modules/', '^(?:node:)?[a-z_]+$'],
        pathNot: ['(^|/)node_modules/(?:@trpc|zod)/'],
      },
    },
    {
      name: 'db-knows-only-the-core',
      comment: 'The database keeps the promises of the ports and knows nothing else.',
      severity: 'error',
      from: { path: '^db/' },
      to: { dependencyTypesNot: ['core'], pathNot: ['node_modules/', '^db/', '^core/index\\.ts$'] },
    },
    {
      name: 'enter-by-the-door',
      comment: 'What a room offers stands in its index.ts; the rest is its own business.',
      severity: 'error',
      from: { path: '^gateway/' },
      to: { path: rooms, pathNot: ['^gateway/', '^[a-z-]+/index\\.ts$'] },
    },
    {
      name: 'call-a-room-by-its-name',
      comment:
        'Write #core, not ../core/index.ts: the name holds wherever a file moves, and in what is built.',
      severity: 'error',
      from: { path: rooms },
      to: { path: rooms, pathNot: ['^$1/'], dependencyTypesNot: ['aliased-subpath-import'] },
    },
    {
      name: 'no-test-in-the-house',
      comment: 'What runs must not depend on its tests.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-development-package',
      comment: 'What runs must not need a package that only developers have.',
      severity: 'error',
      from: { path: rooms },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycle',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere would also lead through every wall.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'tsc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    },
  },
};
