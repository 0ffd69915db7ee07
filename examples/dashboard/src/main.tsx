import '@mantine/core/styles.css';
import '@mantine/charts/styles.css';
import { Anchor, Badge, Container, createTheme, Group, MantineProvider } from '@mantine/core';
import { useHash } from '@mantine/hooks';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Company } from './Company.tsx';
import { Portfolio } from './Portfolio.tsx';
import { useLive } from './service.ts';

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 60_000 } } });
const theme = createTheme({ primaryColor: 'indigo', primaryShade: 8, respectReducedMotion: true });

function Dashboard() {
  const companyId = useHash({ getInitialValueInEffect: false })[0].slice(2);
  const state = useLive();
  return (
    <Container size="xl" py="lg">
      <Group component="nav" mb="lg">
        <h1 style={{ all: 'unset' }}>
          <Anchor href="#/" c="var(--mantine-color-text)" fw={700} fz="xl">
            Portfolio
          </Anchor>
        </h1>
        <Badge variant="dot" color={state === 'Live' ? 'teal' : 'gray'} ml="auto" role="status">
          {state}
        </Badge>
      </Group>
      <main>{companyId === '' ? <Portfolio /> : <Company key={companyId} id={companyId} />}</main>
    </Container>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <QueryClientProvider client={queries}>
      <Dashboard />
    </QueryClientProvider>
  </MantineProvider>,
);
