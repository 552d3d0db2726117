-- A text that the servers of this database encrypted: what a server with another key would write, they could not decrypt.
create table encryption_check (
  id integer primary key check (id = 1),
  ciphertext bytea not null
);
