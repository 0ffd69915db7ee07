import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environmentSchema } from '../../gateway/config.ts';
import { bundler, compile, withoutDeclarations } from '../package/compile.ts';

const repository = resolve(import.meta.dirname, '../..');
const folder = join(repository, 'deploy/kubernetes');

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Model {
  validate(): void;
}

async function load(): Promise<Manifest[]> {
  const texts = await Promise.all(
    globSync('*.yaml', { cwd: folder })
      .toSorted()
      .map((name) => readFile(join(folder, name), 'utf8')),
  );
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
}

const manifests = await load();

/** The schema of the Kubernetes API lacks resources that operators define, so the test checks only the API's own. */
const ofTheApi = manifests.filter(({ apiVersion }) => !apiVersion.startsWith('postgresql.cnpg.io'));
const find = (kind: string) =>
  manifests.find((each) => each.kind === kind) as never as Record<string, never>;

describe('the folder deploy/kubernetes', () => {
  it.each(ofTheApi)(
    'is valid for the Kubernetes API’s schema: $kind $metadata.name',
    async (manifest) => {
      const models = await import(`kubernetes-models/${manifest.apiVersion}`);
      const Kind = models[manifest.kind] as new (data: unknown) => Model;
      expect(() => new Kind(manifest).validate()).not.toThrow();
      const broken = { ...manifest, metadata: { ...manifest.metadata, labels: 'none' } };
      expect(() => new Kind(broken).validate()).toThrow('labels');
    },
  );

  it('has only fields that the Kubernetes API knows', async () => {
    const place = await mkdtemp(join(tmpdir(), 'kubernetes-'));
    await symlink(join(repository, 'node_modules'), join(place, 'node_modules'));
    await writeFile(join(place, 'package.json'), '{ "type": "module" }');
    const write = (file: string, listed: readonly object[]) => {
      const lines = (listed as readonly Manifest[]).map(
        (each, index) =>
          `import type { I${each.kind} as Kind${index} } from 'kubernetes-models/${each.apiVersion}';\nexport const manifest${index}: Kind${index} = ${JSON.stringify(each)};\n`,
      );
      return writeFile(join(place, file), lines.join(''));
    };
    const check = async (file: string) =>
      (
        await compile(place, file, 'typescript-native', {
          ...bundler,
          ...withoutDeclarations,
          types: [],
        })
      ).errors;
    await write('manifests.ts', ofTheApi);
    expect(await check('manifests.ts')).toBe('');
    const [first] = ofTheApi;
    await write('broken.ts', [{ ...first, metdata: {} }]);
    expect(await check('broken.ts')).toContain('metdata');
    await rm(place, { recursive: true });
  });

  it('uses only existing settings, and refers to each secret only by its name', async () => {
    const { data } = find('ConfigMap');
    for (const name of Object.keys(data ?? {}))
      expect(Object.keys(environmentSchema.shape)).toContain(name);
    const texts = globSync('*.yaml', { cwd: folder }).map((name) =>
      readFile(join(folder, name), 'utf8'),
    );
    const text = (await Promise.all(texts)).join('');
    expect(text).not.toMatch(/kind: Secret\b|postgres:\/\/|value:/);
    const page = await readFile(join(repository, 'docs/deployment.md'), 'utf8');
    const secrets = [
      ...text.matchAll(/(?:secretKeyRef|secretRef|secret): \{ (?:name|secretName): ([\w-]+)/g),
    ];
    expect(secrets.length).toBe(3);
    for (const [, name] of secrets) expect(page).toContain(`secret generic ${name}`);
  });

  it('has the settings that prevent lost changes and stale reads in a failover', () => {
    const { spec } = find('Cluster') as never as { spec: DatabaseSpec };
    expect(spec.instances).toBe(3);
    expect(spec.postgresql.synchronous).toEqual({
      method: 'any',
      number: 1,
      dataDurability: 'required',
      failoverQuorum: true,
    });
    expect(spec.postgresql.parameters).toMatchObject({
      synchronous_commit: 'on',
      max_connections: '200',
      ...{ tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' },
      tcp_user_timeout: '25000',
    });
    expect(spec.primaryUpdateMethod).toBe('switchover');
    expect(spec.probes.liveness.isolationCheck).toEqual({ enabled: true });
    expect(spec.affinity).toEqual({
      enablePodAntiAffinity: true,
      podAntiAffinityType: 'required',
      topologyKey: 'kubernetes.io/hostname',
    });
  });

  it('sets the address of the Redis Cluster that it contains', () => {
    const { data } = find('ConfigMap') as never as { data: { REDIS_URL: string } };
    const { metadata, spec } = find('StatefulSet') as never as {
      metadata: { name: string };
      spec: { serviceName: string; replicas: number };
    };
    const nodes = Array.from(
      { length: spec.replicas },
      (_, index) => `redis://${metadata.name}-${index}.${spec.serviceName}:6379`,
    );
    expect(data.REDIS_URL).toBe(nodes.join(','));
  });

  it('runs the image of this version, as the user of the image, with only /tmp writable', async () => {
    const { version } = parse(await readFile(join(repository, 'package.json'), 'utf8'));
    const containerfile = await readFile(join(repository, 'deploy/Containerfile'), 'utf8');
    const user = Number(/^USER (\d+)$/m.exec(containerfile)?.[1]);
    for (const kind of ['Deployment', 'Job']) {
      const { spec } = find(kind) as never as { spec: { template: { spec: PodSpec } } };
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const each of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(each.image).toBe(`portfolio-access:${version}`);
        expect(each.resources).toMatchObject({
          requests: {},
          limits: { memory: expect.any(String) },
        });
        expect(each.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });
});

/** docs/production.md explains what fails without each of these settings. */
describe('the file deploy/patroni.yml', () => {
  it('has the settings that prevent lost changes and stale reads in a failover', async () => {
    const {
      bootstrap,
      postgresql: server,
      watchdog,
    } = parse(await readFile(join(repository, 'deploy/patroni.yml'), 'utf8'));
    const { postgresql, ttl, loop_wait: wait, retry_timeout: patience, ...dcs } = bootstrap.dcs;
    expect(dcs).toEqual({
      primary_start_timeout: 0,
      synchronous_mode: 'quorum',
      synchronous_mode_strict: true,
      synchronous_node_count: 1,
    });
    expect(postgresql).toMatchObject({
      use_pg_rewind: true,
      use_slots: true,
      parameters: {
        ...{ synchronous_commit: 'on', fsync: 'on', full_page_writes: 'on', wal_log_hints: 'on' },
        max_connections: 200,
        ...{ tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 },
        tcp_user_timeout: 25_000,
      },
    });
    expect(watchdog).toMatchObject({ mode: 'required', safety_margin: -1 });
    expect(bootstrap.initdb).toContain('data-checksums');
    expect(server).toMatchObject({ use_unix_socket: true, parameters: { ssl: 'on' } });
    // Connections from the network need TLS and a password.
    for (const rule of server.pg_hba)
      expect(rule).toMatch(/^local all postgres peer$|^hostssl .* scram-sha-256$/);
    // Otherwise, a primary that can't reach etcd may continue after another server has taken over.
    expect(wait + 2 * patience).toBeLessThanOrEqual(ttl);
    // The watchdog resets the machine when half of the time-to-live is over.
    expect(wait + patience).toBeLessThan(Math.floor(ttl / 2));
  });
});

interface DatabaseSpec {
  readonly instances: number;
  readonly postgresql: { readonly synchronous: object; readonly parameters: object };
  readonly probes: { readonly liveness: { readonly isolationCheck: object } };
  readonly affinity: object;
  readonly primaryUpdateMethod: string;
}

interface Container {
  readonly image: string;
  readonly resources: object;
  readonly securityContext: object;
}

interface PodSpec {
  readonly securityContext: object;
  readonly automountServiceAccountToken: boolean;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
}
