import { AreaChart, BarChart } from '@mantine/charts';
import { Alert, Card, Group, Loader, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { compact, day, month } from './format.ts';
import type { History } from './operations.ts';
import { Refused, Status } from './Refused.tsx';
import { useCompany } from './service.ts';

export function Company({ id }: { id: string }) {
  const { data, error } = useCompany(id);
  if (error) return <Alert color="red">{error.message}</Alert>;
  const company = data?.company;
  if (!company) return <Loader />;
  const { access, metrics, metricHistories, sources, accounts } = company;
  return (
    <>
      <Group my="md">
        <Title order={2}>{company.name}</Title>
        <Status access={access} />
        {access?.expiresAt && <Text c="dimmed">until {day(access.expiresAt)}</Text>}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {metricHistories?.__typename === 'MetricHistories' &&
          metricHistories.histories
            .filter(({ values }) => values.length > 0)
            .map((history) => <Chart key={history.key} history={history} />)}
      </SimpleGrid>
      <Card component="section" withBorder padding="lg" mt="md">
        {metrics?.__typename === 'AccessRefusal' ? (
          <Refused company={company} refusal={metrics} scope="METRICS_READ" />
        ) : (
          <Rows head={['Metric', 'Value', 'Period', 'Source', 'Checked at the source']}>
            {metrics?.metrics.map(({ label, value, period, source, verification }) => [
              ...[label, value, month(period), source.system, verification.verified ? '✓' : '–'],
            ])}
          </Rows>
        )}
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card component="section" withBorder padding="lg" mt="md">
          {accounts?.__typename === 'AccessRefusal' ? (
            <Refused company={company} refusal={accounts} scope="ACCOUNTS_READ" />
          ) : (
            <Rows head={['Account', 'At', 'Balance']}>
              {accounts?.accounts.map(({ name, lastFour, provider, balance }) => [
                ...[lastFour ? `${name} ··${lastFour}` : name, provider, balance],
              ])}
            </Rows>
          )}
        </Card>
        <Card component="section" withBorder padding="lg" mt="md">
          {sources?.__typename === 'AccessRefusal' ? (
            <Refused company={company} refusal={sources} scope="SOURCES_READ" />
          ) : (
            <Rows head={['Source', 'Status', 'Last synced']}>
              {sources?.sources.map((each) => [each.provider, each.status, day(each.lastSyncedAt)])}
            </Rows>
          )}
        </Card>
      </SimpleGrid>
    </>
  );
}

const byKeyboard = { viewportProps: { tabIndex: 0 } };

function Rows({ head, children = [] }: { head: string[]; children: string[][] | undefined }) {
  return (
    <Table.ScrollContainer minWidth={head.length * 100} scrollAreaProps={byKeyboard}>
      <Table data={{ head, body: children }} />
    </Table.ScrollContainer>
  );
}

function Chart({ history: { key, label, values } }: { history: History }) {
  const currency = values[0]?.currency;
  const look = {
    h: 220,
    data: values.map(({ period, rawValue }) => ({ month: month(period), value: Number(rawValue) })),
    dataKey: 'month',
    series: [{ name: 'value', label: label ?? key, color: 'indigo.6' }],
    valueFormatter: (value: number) => compact(value, currency),
  };
  return (
    <Card component="figure" m={0} withBorder padding="lg">
      <Group component="figcaption" justify="space-between" mb="md">
        <Text c="dimmed">{label}</Text>
        <Text fw={600}>{values.at(-1)?.value}</Text>
      </Group>
      {key === 'burn_rate' ? <BarChart {...look} /> : <AreaChart {...look} withDots={false} />}
    </Card>
  );
}
