import { Alert, Badge, Button, Checkbox, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { FormEvent } from 'react';
import type { Access, Refusal, Scope } from './operations.ts';
import { useAsk } from './service.ts';

const colors = { APPROVED: 'teal', PENDING: 'yellow', REVOKED: 'red', NONE: 'gray' };
const scopes = { METRICS_READ: 'Figures', SOURCES_READ: 'Sources', ACCOUNTS_READ: 'Accounts' };
const closing = { 'aria-label': 'Close' };

export function Status({ access }: { access: Access | null }) {
  const status = access?.status ?? 'NONE';
  return (
    <Badge variant="light" color={colors[status]} c="var(--mantine-color-text)" flex="none">
      {status}
    </Badge>
  );
}

const reasons: Record<string, string> = {
  ACCESS_PENDING: 'You have asked, and the company has not answered yet.',
  ACCESS_REVOKED: 'The company has taken its grant back.',
  ACCESS_REQUIRED: 'The company does not share this with you.',
};

interface Props {
  readonly company: { id: string; name: string | null; access: Access | null };
  readonly refusal: Refusal;
  readonly scope: keyof typeof scopes;
}

/** Shows a button only if an access request can help. */
export function Refused(props: Props) {
  const { company, refusal, scope } = props;
  const [isOpen, { open, close }] = useDisclosure();
  const request = company.access?.request;
  const title = `Ask ${company.name} for access`;
  const code = request?.pendingScopes.includes(scope) ? 'ACCESS_PENDING' : refusal.code;
  return (
    <Stack justify="space-between" align="start" flex={1}>
      <Text c="dimmed">
        {scopes[scope]}: {reasons[code] ?? refusal.message}{' '}
        {code !== 'ACCESS_PENDING' && request?.reason && <q>{request.reason}</q>}
      </Text>
      {(code === 'ACCESS_REQUIRED' || code === 'ACCESS_REVOKED') && (
        <Button variant="light" onClick={open}>
          Ask for access
        </Button>
      )}
      <Modal centered opened={isOpen} onClose={close} title={title} closeButtonProps={closing}>
        <Ask {...props} onDone={close} />
      </Modal>
    </Stack>
  );
}

function Ask({ company: { id, access }, refusal, scope, onDone }: Props & { onDone: () => void }) {
  const ask = useAsk(id, access?.status === 'APPROVED' ? refusal.accessRequestId : null);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const wanted = form.getAll('scope') as Scope[];
    ask.mutate({ scopes: wanted, purpose: `${form.get('purpose')}` }, { onSuccess: onDone });
  };
  return (
    <Stack component="form" onSubmit={send as never}>
      <Group>
        {Object.entries(scopes)
          .filter(([value]) => !access?.approvedScopes.includes(value as Scope))
          .map(([value, label]) => (
            <Checkbox
              key={value}
              name="scope"
              value={value}
              label={label}
              defaultChecked={value === scope}
            />
          ))}
      </Group>
      <Textarea required name="purpose" maxLength={1_000} label="What for?" />
      {ask.error && <Alert color="red">{ask.error.message}</Alert>}
      <Button type="submit" loading={ask.isPending}>
        Ask
      </Button>
    </Stack>
  );
}
