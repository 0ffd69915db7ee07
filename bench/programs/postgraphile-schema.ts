/**
 * Returns the SQL of the views for PostGraphile. Row-level security enforces the access rule: the role sees only
 * companies in the portfolio of the key's investor, and only granted metrics. PostgreSQL reads the rights of a key once
 * per statement.
 */
export const postgraphileSchema = (role: string) => `
  create role ${role};
  create schema bench_graph;
  grant usage on schema bench_graph to ${role};

  create function bench_graph.digest() returns bytea language sql stable as $$
    select decode(current_setting('bench.digest', true), 'hex')
  $$;
  create function bench_graph.portfolio() returns setof text
  language sql stable security definer rows 50 as $$
    select membership.company_id from public.api_key as key
    join public.portfolio_membership as membership using (investor_id)
    where key.digest = bench_graph.digest() and key.scopes @> '{companies:read}'
      and key.revoked_at is null and (key.expires_at is null or key.expires_at > now())
  $$;
  create function bench_graph.readable() returns setof text
  language sql stable security definer rows 50 as $$
    select membership.company_id from public.api_key as key
    join public.portfolio_membership as membership using (investor_id)
    cross join lateral (
      select * from public.access_request
      where investor_id = key.investor_id and company_id = membership.company_id
      order by created_at desc, id desc limit 1
    ) as newest
    where key.digest = bench_graph.digest() and key.scopes @> '{metrics:read}'
      and key.revoked_at is null and (key.expires_at is null or key.expires_at > now())
      and newest.status = 'approved' and newest.deadline_at > now()
      and newest.approved_scopes @> '{metrics:read}'
  $$;
  create function bench_graph.readable_series() returns setof bigint
  language sql stable security definer rows 600 as $$
    select series.id from bench_graph.readable() as readable (company_id)
    join public.metric_series as series using (company_id)
  $$;

  grant select on public.company, public.metric_series, public.metric_point to ${role};
  alter table public.company enable row level security;
  create policy portfolio on public.company to ${role}
    using (id = any (array(select bench_graph.portfolio())));
  alter table public.metric_series enable row level security;
  create policy readable on public.metric_series to ${role}
    using (company_id in (select bench_graph.readable()));
  alter table public.metric_point enable row level security;
  create policy readable on public.metric_point to ${role}
    using (series_id in (select bench_graph.readable_series()));

  create view bench_graph.company with (security_invoker = true) as
    select id, name from public.company;
  comment on view bench_graph.company is E'@primaryKey id';
  create view bench_graph.latest_metric with (security_invoker = true) as
    select series.company_id, series.key, series.label, series.category, point.currency,
      point.period, point.value, point.raw_value, point.source_system, point.source_method,
      point.last_synced, point.verified, point.signature is not null as signed, point.confidence,
      point.as_of
    from public.metric_series as series
    cross join lateral (
      select * from public.metric_point where series_id = series.id order by period desc limit 1
    ) as point;
  comment on view bench_graph.latest_metric is
    E'@primaryKey company_id,key\\n@foreignKey (company_id) references bench_graph.company (id)|@foreignSimpleFieldName metrics';
  grant select on all tables in schema bench_graph to ${role};
  grant execute on all functions in schema bench_graph to ${role};`;
