import '@mantine/core/styles.css';
import '@mantine/charts/styles.css';
import {
  Anchor,
  Badge,
  Container,
  type CSSVariablesResolver,
  createTheme,
  Group,
  MantineProvider,
  Title,
} from '@mantine/core';
import { useHash } from '@mantine/hooks';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Company } from './Company.tsx';
import { Portfolio } from './Portfolio.tsx';
import { useLive } from './service.ts';

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 60_000 } } });
const theme = createTheme({ primaryColor: 'indigo', primaryShade: 8, defaultRadius: 'md' });
/** Mantine's own dimmed text, as its lighter shade of a colour, is too pale to be read by everybody (WCAG 2.2, 1.4.3). */
const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: { '--mantine-color-dimmed': colors.gray[7] },
  dark: { '--mantine-color-dimmed': colors.gray[5] },
});

function Dashboard() {
  // The company that is looked at stands in the address.
  const companyId = useHash({ getInitialValueInEffect: false })[0].slice(2);
  const isLive = useLive();
  return (
    <Container size="xl" py="lg">
      <Group component="nav" mb="lg">
        <Title order={1} size="xl">
          <Anchor href="#/" c="var(--mantine-color-text)" inherit>
            Portfolio
          </Anchor>
        </Title>
        <Badge variant="dot" color={isLive ? 'teal' : 'gray'} ml="auto" role="status">
          {isLive ? 'Live' : 'Connecting'}
        </Badge>
      </Group>
      <main>{companyId === '' ? <Portfolio /> : <Company key={companyId} id={companyId} />}</main>
    </Container>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} cssVariablesResolver={readable} defaultColorScheme="auto">
    <QueryClientProvider client={queries}>
      <Dashboard />
    </QueryClientProvider>
  </MantineProvider>,
);
