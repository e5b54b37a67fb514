--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: vaults; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.vaults (
    vault_id text NOT NULL,
    temperature_c numeric(4,1) NOT NULL,
    humidity_pct numeric(4,1),
    capacity integer NOT NULL,
    sealed_on date
);


ALTER TABLE public.vaults OWNER TO root;

--
-- Name: vaults; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.vaults (vault_id, temperature_c, humidity_pct, capacity, sealed_on) FROM stdin;
A-01	-20.9	12.8	10	\N
A-02	-19.0	\N	11	2022-03-17
A-03	-17.3	12.4	9	\N
A-04	-19.4	15.6	8	\N
A-05	-21.5	21.0	7	\N
A-06	-19.4	19.8	11	\N
A-07	-21.4	13.4	13	2016-02-26
A-08	-19.6	19.2	6	2024-03-02
A-09	-21.1	19.1	13	2021-12-05
A-10	-18.6	19.1	5	\N
B-01	-20.6	14.3	12	\N
B-02	-19.8	20.4	6	\N
B-03	-22.0	13.0	13	\N
B-04	-21.9	25.1	11	\N
B-05	-17.4	14.3	12	2018-04-14
B-06	-21.7	19.2	11	\N
B-07	-21.9	17.8	13	\N
B-08	-21.5	26.6	14	\N
B-09	-21.0	\N	6	\N
B-10	-21.5	17.5	10	\N
C-01	4.1	17.4	14	\N
C-02	4.4	18.7	11	\N
C-03	5.6	21.9	14	2018-06-24
C-04	3.2	\N	10	\N
C-05	6.0	21.8	12	2021-05-25
C-06	2.0	19.2	12	\N
C-07	3.9	\N	9	\N
C-08	3.0	21.0	13	\N
C-09	2.2	25.8	10	\N
C-10	2.3	15.1	10	2015-09-24
D-01	7.6	15.8	13	2020-05-15
D-02	3.1	23.9	6	2022-04-07
D-03	4.8	25.8	7	\N
D-04	4.2	21.6	8	2025-02-11
D-05	4.5	\N	11	\N
D-06	3.1	27.6	8	\N
D-07	2.3	26.3	13	2018-06-28
D-08	5.8	13.5	6	\N
D-09	3.4	15.1	11	\N
D-10	4.1	22.4	13	\N
\.


--
-- Name: vaults vaults_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.vaults
    ADD CONSTRAINT vaults_pkey PRIMARY KEY (vault_id);


--
-- PostgreSQL database dump complete
--
