#!/bin/sh
# Creates the role and the database of the service, once, on the first leader. Patroni calls it with the connection string of the superuser.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 "$1" <<SQL
\getenv password FULFILLMENT_PASSWORD
create role fulfillment login password :'password';
create database fulfillment owner fulfillment template template0;
SQL
