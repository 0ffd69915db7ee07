#!/bin/sh
# The PostgreSQL image runs this script once, in an empty folder. The script creates the roles with passwords, and the database.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres \
  --set owner="$OWNER_PASSWORD" --set service="$SERVICE_PASSWORD" \
  --set background="$BACKGROUND_PASSWORD" --set operator="$OPERATOR_PASSWORD" <<'SQL'
create role portfolio_access_owner login password :'owner';
create role portfolio_access_service login password :'service';
create role portfolio_access_background login password :'background';
create role portfolio_access_operator login password :'operator';
grant portfolio_access_background to portfolio_access_operator;
grant portfolio_access_owner to current_user;
create database portfolio_access owner portfolio_access_owner encoding 'UTF8' template template0;
SQL
