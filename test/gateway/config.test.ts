import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../gateway/config.ts';

describe('the configuration', () => {
  it('needs no environment variable, because each one has a default', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      graphqlDocuments: null,
      tracing: null,
      port: 3000,
      databaseUrl: null,
      databaseBackgroundUrl: null,
      databasePooler: null,
      databaseConnections: 18,
      redisUrls: null,
      dataDir: '.data',
      signingKey: { path: '.data/signing-key.json', makeMissing: true },
      migrateOnStart: true,
      trustedProxies: null,
      publicUrl: null,
      corsOrigins: [],
      smtp: null,
      workers: 1,
      metrics: null,
      rateLimit: { points: 6000, windowSeconds: 60 },
      pendingTtlDays: 30,
      grantTtlDays: 365,
      memoryBytes: 128 * 1024 * 1024,
      streams: { total: 10_000 },
      graphql: {
        introspection: 'test',
        graphiql: true,
      },
      webhooks: {
        allowPrivate: false,
        proxy: null,
        retrySeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
      },
      logLevel: 'info',
      proxies: { isUsed: false, urls: [] },
      desk: true,
      signInWays: ['link'],
      oidc: null,
      oauth: null,
      demo: true,
    });
  });

  it('treats an empty variable as missing', () => {
    expect(readConfig({ REDIS_URL: '', PORT: '', DEMO: '' })).toEqual(readConfig({}));
  });

  it('turns the desk on unless DESK_SIGN_IN is off', () => {
    expect(readConfig({ DESK_SIGN_IN: 'off' })).toMatchObject({ desk: false, signInWays: [] });
  });

  const provider = {
    OIDC_ISSUER: 'https://id.harbor.example/',
    OIDC_CLIENT_ID: 'portfolio-access',
    OIDC_CLIENT_SECRET: 'secret',
    PUBLIC_URL: 'https://access.example',
  };

  it('also lets contacts sign in at the OpenID provider if OIDC_ISSUER is set, unless DESK_SIGN_IN excludes it', () => {
    expect(readConfig(provider)).toMatchObject({
      signInWays: ['link', 'oidc'],
      oidc: {
        issuer: 'https://id.harbor.example/',
        clientId: 'portfolio-access',
        clientSecret: 'secret',
        label: 'id.harbor.example',
      },
    });
    const named = readConfig({ ...provider, OIDC_LABEL: 'Harbor ID', DESK_SIGN_IN: ' oidc,oidc' });
    expect(named).toMatchObject({ signInWays: ['oidc'], oidc: { label: 'Harbor ID' } });
    expect(readConfig({ ...provider, DESK_SIGN_IN: 'link' }).signInWays).toEqual(['link']);
  });

  it.each([
    [{ DESK_SIGN_IN: 'oidc' }, 'OIDC_ISSUER must be set when DESK_SIGN_IN names oidc'],
    [{ DESK_SIGN_IN: 'link,oidc' }, 'OIDC_ISSUER must be set when DESK_SIGN_IN names oidc'],
    [{ DESK_SIGN_IN: 'password' }, 'DESK_SIGN_IN must be link or oidc'],
    [{ DESK_SIGN_IN: ',' }, 'DESK_SIGN_IN must be link or oidc'],
    [{ OIDC_CLIENT_ID: 'x' }, 'OIDC_ISSUER must be set when OIDC_CLIENT_ID is'],
    [{ OIDC_LABEL: 'x' }, 'OIDC_ISSUER must be set when OIDC_LABEL is'],
    [{ ...provider, OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID must be set when OIDC_ISSUER is'],
    [{ ...provider, OIDC_CLIENT_SECRET: '' }, 'OIDC_CLIENT_SECRET must be set when OIDC_ISSUER is'],
    [{ ...provider, PUBLIC_URL: '' }, 'PUBLIC_URL must be set when OIDC_ISSUER is'],
    [{ ...provider, OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER must start with https://'],
    [
      { ...provider, OIDC_ISSUER: 'http://127.evil.example' },
      'OIDC_ISSUER must start with https://',
    ],
    [{ ...provider, OIDC_ISSUER: 'https://id.example?x' }, 'OIDC_ISSUER must not have a query'],
    [{ ...provider, OIDC_LABEL: 'a\nb' }, 'OIDC_LABEL must be one line'],
    [{ OAUTH_ISSUER: 'https://id.example' }, 'OAUTH_AUDIENCE must be set when OAUTH_ISSUER is'],
    [{ OAUTH_AUDIENCE: 'x' }, 'OAUTH_ISSUER must be set when OAUTH_AUDIENCE is'],
  ])('refuses %j', (variables, message) => {
    expect(() => readConfig(variables)).toThrow(message);
  });

  it('accepts access tokens if OAUTH_ISSUER and OAUTH_AUDIENCE are set', () => {
    const variables = { OAUTH_ISSUER: 'https://id.example', OAUTH_AUDIENCE: 'x' };
    const oauth = { issuer: 'https://id.example', audience: 'x' };
    const standard = { keyClaim: 'portfolio_access_key', types: ['at+jwt'] };
    expect(readConfig(variables).oauth).toEqual({ ...oauth, ...standard });
    const others = readConfig({ ...variables, OAUTH_TOKEN_TYPE: 'at+jwt, JWT' });
    expect(others.oauth?.types).toEqual(['at+jwt', 'JWT']);
    expect(() => readConfig({ OAUTH_TOKEN_TYPE: 'a,' })).toThrow(
      'must be token types like at+jwt or at+jwt,JWT',
    );
    const named = readConfig({ ...variables, OAUTH_KEY_CLAIM: 'key' });
    expect(named.oauth?.keyClaim).toBe('key');
  });

  it('accepts an OpenID provider without TLS on the same machine', () => {
    for (const host of ['127.0.0.1:4000', 'localhost', '[::1]:4000']) {
      const issuer = `http://${host}`;
      expect(readConfig({ ...provider, OIDC_ISSUER: issuer }).oidc?.issuer).toBe(issuer);
    }
  });

  it('accepts only IP addresses and networks as trusted proxies', () => {
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
      '192.0.2.7',
    ]);
    for (const TRUSTED_PROXIES of ['loopback', '10', '10.0.0.0/33', ',', 'true', '1']) {
      expect(() => readConfig({ TRUSTED_PROXIES })).toThrow('TRUSTED_PROXIES must be addresses');
    }
  });

  it('accepts CORS origins only in the form that browsers send, without patterns', () => {
    const CORS_ORIGINS = 'https://dashboard.example, http://127.0.0.1:5173';
    expect(readConfig({ CORS_ORIGINS }).corsOrigins).toEqual([
      'https://dashboard.example',
      'http://127.0.0.1:5173',
    ]);
    for (const wrong of [
      '*',
      'null',
      'dashboard.example',
      'https://dashboard.example/',
      'https://dashboard.example:443',
      'https://*.example',
      'https://Dashboard.example',
      'file:///index.html',
      'https://a.example,',
    ]) {
      expect(() => readConfig({ CORS_ORIGINS: wrong }), wrong).toThrow(
        'CORS_ORIGINS must be origins like',
      );
    }
  });

  it('turns the demo on by default only with the embedded database', () => {
    const DATABASE_URL = 'postgres://localhost/access';
    expect(readConfig({ DATABASE_URL }).demo).toBe(false);
    expect(readConfig({ DATABASE_URL, DEMO: 'on' }).demo).toBe(true);
    expect(readConfig({ DEMO: 'off' }).demo).toBe(false);
  });

  it('shows the GraphQL schema to test keys by default, and GraphiQL only in the demo', () => {
    const read = (environment: Record<string, string>) => {
      const { introspection, graphiql } = readConfig(environment).graphql;
      return { introspection, graphiql };
    };
    const off = { DEMO: 'off' };
    expect(read({})).toEqual({ introspection: 'test', graphiql: true });
    expect(read(off)).toEqual({ introspection: 'test', graphiql: false });
    expect(read({ ...off, GRAPHQL_INTROSPECTION: 'on' })).toEqual({
      introspection: 'on',
      graphiql: true,
    });
    expect(read({ GRAPHQL_INTROSPECTION: 'off' })).toEqual({
      introspection: 'off',
      graphiql: false,
    });
  });

  it('requires DATABASE_URL and REDIS_URL if there are several workers', () => {
    const DATABASE_URL = 'postgres://localhost/access';
    const REDIS_URL = 'redis://localhost';
    expect(readConfig({ WORKERS: '4', DATABASE_URL, REDIS_URL }).workers).toBe(4);
    expect(() => readConfig({ WORKERS: '2' })).toThrow(/DATABASE_URL must .*\n.*REDIS_URL must /);
    expect(() => readConfig({ WORKERS: '2', DATABASE_URL })).toThrow('REDIS_URL must be set');
  });

  it('accepts delays between the delivery attempts of a webhook', () => {
    const read = (WEBHOOK_RETRY_SECONDS: string) => readConfig({ WEBHOOK_RETRY_SECONDS }).webhooks;
    expect(read('0,1,60').retrySeconds).toEqual([0, 1, 60]);
    expect(() => read('1;2')).toThrow('WEBHOOK_RETRY_SECONDS must be whole numbers');
    expect(readConfig({ WEBHOOK_ALLOW_PRIVATE: 'on' }).webhooks.allowPrivate).toBe(true);
  });

  it('accepts a rate limit in points per minute, or per given number of seconds', () => {
    const read = (RATE_LIMIT_POINTS: string) => readConfig({ RATE_LIMIT_POINTS }).rateLimit;
    expect(read('20')).toEqual({ points: 20, windowSeconds: 60 });
    expect(read('20/5')).toEqual({ points: 20, windowSeconds: 5 });
    for (const wrong of ['0', '20/0', '20/1.5', '20/', '/60', '20/60/1'])
      expect(() => read(wrong), wrong).toThrow('RATE_LIMIT_POINTS must be points, like 6000, or');
  });

  it('serves metrics on 127.0.0.1 unless METRICS_PORT contains another address', () => {
    const read = (METRICS_PORT: string) => readConfig({ METRICS_PORT }).metrics;
    expect(read('9464')).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(read('0.0.0.0:9464')).toEqual({ host: '0.0.0.0', port: 9464 });
    expect(read('[::1]:0')).toEqual({ host: '::1', port: 0 });
    for (const wrong of ['0.0.0.0', '0.0.0.0:99999', ':9464'])
      expect(() => read(wrong), wrong).toThrow('METRICS_PORT must be');
  });

  it('accepts several Redis URLs as the nodes of a cluster', () => {
    const REDIS_URL = 'redis://one:7000,redis://two:7000';
    expect(readConfig({ REDIS_URL }).redisUrls).toEqual(REDIS_URL.split(','));
    const secret = 'redis://:a,b@one:7000';
    expect(readConfig({ REDIS_URL: secret }).redisUrls).toEqual([secret]);
    const DATABASE_URL = 'postgres://user:a,b@host/access';
    expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
    expect(() => readConfig({ REDIS_URL: 'redis://one,http://two' })).toThrow('REDIS_URL');
    expect(() => readConfig({ REDIS_URL: 'redis://one,' })).toThrow('REDIS_URL');
    const sentinels = 'redis+sentinel://one,two/primary';
    expect(() => readConfig({ REDIS_URL: sentinels })).toThrow("REDIS_URL can't name Sentinels");
  });

  it('removes the slash at the end of the public address', () => {
    expect(readConfig({ PUBLIC_URL: 'https://api.example.com/' }).publicUrl).toBe(
      'https://api.example.com',
    );
  });

  it('requires a mail server and a sender address together', () => {
    const SMTP_URL = 'smtp://user:p%40ss@mail.example:587';
    const read = (MAIL_FROM: string) => readConfig({ SMTP_URL, MAIL_FROM }).smtp;
    expect(read('"Access, North" <access@mail.example>')).toEqual({
      url: SMTP_URL,
      from: { name: 'Access, North', address: 'access@mail.example' },
    });
    expect(read('access@localhost')?.from).toEqual({ name: '', address: 'access@localhost' });
    expect(() => readConfig({ SMTP_URL })).toThrow('MAIL_FROM must be set');
  });

  it.each([
    ['a@mail.example, b@mail.example'],
    ['A <a@mail.example>\r\nBcc: b@mail.example'],
    ['A\r\n <a@mail.example>'],
    ['Group: a@mail.example;'],
  ])('refuses a sender that isn’t exactly one mailbox: %j', (MAIL_FROM) => {
    expect(() => readConfig({ MAIL_FROM })).toThrow('MAIL_FROM must be one address');
  });

  it.each([
    ['smtp://'],
    ['smtp://mail.example?pool=true'],
    ['smtp://mail.example/path'],
    ['smtps://mail.example#a'],
  ])('refuses a mail server URL without a host or with extra parts: %s', (SMTP_URL) => {
    expect(() => readConfig({ SMTP_URL, MAIL_FROM: 'a@mail.example' })).toThrow('SMTP_URL must');
  });

  it.each([
    ['DATABASE_URL', 'postgres://localhost/%zz'],
    ['REDIS_URL', 'redis://:sec%zz@localhost'],
    ['REDIS_URL', 'redis://one,redis://:sec%zz@two'],
    ['PUBLIC_URL', 'https://api.example.com/?a=b'],
    ['PUBLIC_URL', 'https://api.example.com/#c'],
  ])('refuses at the start any value that would cause an error later: %s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} must not`);
  });

  it('reports all mistakes at once, each with the name of its variable', () => {
    const mistakes = {
      PORT: '99999',
      DATABASE_URL: 'mysql://localhost',
      REDIS_URL: 'nonsense',
      PUBLIC_URL: 'ftp://x',
      SMTP_URL: 'http://mail.example',
      MAIL_FROM: 'nobody',
      WORKERS: '0',
      DATABASE_CONNECTIONS: '4',
      METRICS_PORT: '-1',
      RATE_LIMIT_POINTS: '0',
      PENDING_TTL_DAYS: 'a month',
      GRANT_TTL_DAYS: '-3',
      DATA_MEMORY_MIB: '0',
      GRAPHQL_INTROSPECTION: 'maybe',
      LOG_LEVEL: 'loud',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
      DEMO: 'yes',
    };
    const read = () => readConfig(mistakes);
    expect(read).toThrow(ConfigError);
    for (const name of Object.keys(mistakes))
      expect(read).toThrow(new RegExp(`^ +${name} must `, 'm'));
  });

  it('turns tracing on if a collector is configured, with the configured sampling', () => {
    const part = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(readConfig(part).tracing).toBeNull();
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.example/otlp';
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
      sampler: 'parentbased_always_on',
      ratio: 1,
      usesProxy: false,
    });
    const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...part });
    expect(tracing).toEqual({ sampler: 'traceidratio', ratio: 0.25, usesProxy: false });
  });
});
