import { Sparkline } from '@mantine/charts';
import { Alert, Anchor, Card, Group, Loader, SimpleGrid, Text } from '@mantine/core';
import { compact } from './format.ts';
import type { History, PortfolioCompany } from './operations.ts';
import { Refused, Status } from './Refused.tsx';
import { usePortfolio } from './service.ts';

export function Portfolio() {
  const { data, error } = usePortfolio();
  if (error) return <Alert color="red">{error.message}</Alert>;
  if (!data) return <Loader />;
  const companies = data;
  const open = companies.filter((company) => historiesOf(company).length > 0);
  const runways = open.flatMap((company) => valuesOf(historiesOf(company), 'runway').slice(-1));
  const [shortest] = runways.toSorted((a, b) => Number(a.rawValue) - Number(b.rawValue));
  return (
    <>
      <SimpleGrid cols={3} mb="lg">
        <Fact big name="Companies" value={`${companies.length}`} />
        <Fact big name="Share their figures" value={`${open.length}`} />
        <Fact big name="Shortest runway" value={shortest?.value} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {[...open, ...companies.filter((company) => !open.includes(company))].map((company) => (
          <CompanyCard key={company.id} company={company} />
        ))}
      </SimpleGrid>
    </>
  );
}

const historiesOf = ({ metricHistories }: PortfolioCompany): readonly History[] =>
  metricHistories?.__typename === 'MetricHistories' ? metricHistories.histories : [];

const valuesOf = (histories: readonly History[], key: string) =>
  histories.find((history) => history.key === key)?.values ?? [];

const money = (histories: readonly History[], key: string): string => {
  const latest = valuesOf(histories, key).at(-1);
  return latest ? compact(Number(latest.rawValue), latest.currency) : '–';
};

function Fact({ name, value = '–', big }: { name: string; value?: string; big?: boolean }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fw={600} size={big ? '1.6rem' : 'md'} lh={1.3}>
        {value}
      </Text>
    </div>
  );
}

function CompanyCard({ company }: { company: PortfolioCompany }) {
  const { id, name, access, metricHistories } = company;
  const histories = historiesOf(company);
  return (
    <Card component="article" withBorder padding="lg">
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Anchor href={`#/${id}`} c="var(--mantine-color-text)" fw={600}>
          {name}
        </Anchor>
        <Status access={access} />
      </Group>
      {metricHistories?.__typename === 'AccessRefusal' ? (
        <Refused company={company} refusal={metricHistories} scope="METRICS_READ" />
      ) : (
        <>
          <Fact big name="Cash" value={money(histories, 'cash_balance')} />
          <Sparkline
            h={56}
            my="sm"
            data={valuesOf(histories, 'cash_balance').map(({ rawValue }) => Number(rawValue))}
            color="indigo"
          />
          <Group justify="space-between" mt="auto">
            <Fact name="Burn" value={money(histories, 'burn_rate')} />
            <Fact name="Runway" value={valuesOf(histories, 'runway').at(-1)?.value} />
            <Fact name="ARR" value={money(histories, 'arr')} />
          </Group>
        </>
      )}
    </Card>
  );
}
