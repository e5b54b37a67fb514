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
-- Name: bases; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.bases (
    base_id integer NOT NULL,
    base_name text NOT NULL,
    valley text NOT NULL,
    altitude_m integer NOT NULL,
    opened_on date,
    has_helipad boolean NOT NULL,
    contact jsonb NOT NULL
);


ALTER TABLE public.bases OWNER TO root;

--
-- Name: bases; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.bases (base_id, base_name, valley, altitude_m, opened_on, has_helipad, contact) FROM stdin;
1	Adlerhorst	Brünntal	2280	1985-08-26	f	{"phone": "+41 81 555 71 01", "radio": {"channel": "K-33", "callsign": "EAGLE 1"}, "languages": ["de", "fr"]}
2	L'Aiguille	Val d'Orsa	900	2017-05-14	f	{"phone": "+41 81 555 60 02", "radio": {"channel": "K-35", "callsign": "EAGLE 2"}, "languages": ["en"]}
3	Alpe Grünsee	Côte Noire	2360	2012-01-08	t	{"phone": "+41 81 555 29 03", "radio": {"channel": "K-30", "callsign": "EAGLE 3"}, "languages": ["it"]}
4	Bärenloch	Dossa	1360	1956-07-14	f	{"phone": "+41 81 555 96 04", "radio": {"channel": "K-13", "callsign": "EAGLE 4"}, "languages": ["de"]}
5	Bec de l'Aigle	Eisgrund	2580	\N	t	{"phone": "+41 81 555 88 05", "radio": {"channel": "K-04", "callsign": "IBEX 5"}, "languages": ["it"]}
6	Bocca Scura	Féline	1400	\N	f	{"phone": "+41 81 555 28 06", "radio": {"channel": "K-01", "callsign": "ÜTLI 6"}, "languages": ["de", "it", "rm"]}
7	Breitlauen	Arvental	870	\N	f	{"phone": "+41 81 555 09 07", "radio": {"channel": "K-17", "callsign": "EAGLE 7"}, "languages": ["fr"]}
8	Capanna "Rossa"	Brünntal	860	2019-11-08	f	{"radio": {"channel": "K-13", "callsign": "IBEX 8"}, "languages": ["it", "rm"]}
9	Châlet d'En Haut	Val d'Orsa	1240	1983-03-05	f	{"phone": "+41 81 555 10 09", "radio": {"channel": "K-38", "callsign": "EAGLE 9"}, "languages": ["de"]}
10	Crap Alv	Côte Noire	1790	1972-12-07	t	{"phone": "+41 81 555 29 10", "radio": {"channel": "K-26", "callsign": "IBEX 10"}, "languages": ["de"]}
11	Dent Grise	Dossa	2320	\N	t	{"phone": "+41 81 555 20 11", "radio": {"channel": "K-04", "callsign": "EAGLE 11"}, "languages": ["rm"]}
12	Drei Brüder	Eisgrund	1150	1980-05-04	t	{"phone": "+41 81 555 83 12", "radio": {"channel": "K-06", "callsign": "EAGLE 12"}, "languages": ["it", "en"]}
13	Eggstock	Féline	2240	1961-10-04	t	{"phone": "+41 81 555 42 13", "radio": {"channel": "K-40", "callsign": "IBEX 13"}, "languages": ["de"]}
14	Fil da Rueun	Arvental	1280	2019-05-11	f	{"phone": "+41 81 555 18 14", "radio": {"channel": "K-30", "callsign": "EAGLE 14"}, "languages": ["fr", "en"]}
15	Fürggele	Brünntal	1960	1985-03-05	f	{"phone": "+41 81 555 47 15", "radio": {"channel": "K-32", "callsign": "IBEX 15"}, "languages": ["de"]}
16	Gämsstein	Val d'Orsa	1950	1983-09-05	t	{"phone": "+41 81 555 72 16", "radio": {"channel": "K-25", "callsign": "EAGLE 16"}, "languages": ["it", "rm"]}
17	Grand Névé	Côte Noire	2370	1998-11-23	t	{"phone": "+41 81 555 27 17", "radio": {"channel": "K-15", "callsign": "ÜTLI 17"}, "languages": ["de"]}
18	Hinterjoch	Dossa	2440	1966-01-26	f	{"phone": "+41 81 555 58 18", "radio": {"channel": "K-08", "callsign": "IBEX 18"}, "languages": ["de"]}
19	Hohe Wand	Eisgrund	2000	2001-02-14	f	{"phone": "+41 81 555 65 19", "radio": {"channel": "K-02", "callsign": "IBEX 19"}, "languages": ["rm", "en"]}
20	La Forcletta	Féline	2480	1971-12-03	t	{"phone": "+41 81 555 20 20", "radio": {"channel": "K-05", "callsign": "IBEX 20"}, "languages": ["de"]}
21	Lago Mòrto	Arvental	2410	2018-10-20	f	{"phone": "+41 81 555 45 21", "radio": {"channel": "K-32", "callsign": "ÜTLI 21"}, "languages": ["rm", "en"]}
22	Längfluh	Brünntal	1250	2009-05-28	f	{"radio": {"channel": "K-27", "callsign": "ÜTLI 22"}, "languages": ["it"]}
23	Mittelegg	Val d'Orsa	1750	2016-03-30	f	{"phone": "+41 81 555 38 23", "radio": {"channel": "K-40", "callsign": "EAGLE 23"}, "languages": ["it", "rm"]}
24	Mont Sérac	Côte Noire	2590	2001-02-14	t	{"phone": "+41 81 555 83 24", "radio": {"channel": "K-10", "callsign": "EAGLE 24"}, "languages": ["fr", "it", "en"]}
25	Munt Sulegl	Dossa	2340	1978-03-07	f	{"phone": "+41 81 555 27 25", "radio": {"channel": "K-20", "callsign": "IBEX 25"}, "languages": ["it", "rm", "en"]}
26	Nollen	Eisgrund	1910	2000-08-22	t	{"phone": "+41 81 555 43 26", "radio": {"channel": "K-35", "callsign": "EAGLE 26"}, "languages": ["it"]}
27	Oberkäser	Féline	1490	\N	t	{"phone": "+41 81 555 51 27", "radio": {"channel": "K-20", "callsign": "EAGLE 27"}, "languages": ["en"]}
28	Passo dell'Orso	Arvental	1540	2005-08-07	f	{"phone": "+41 81 555 84 28", "radio": {"channel": "K-39", "callsign": "ÜTLI 28"}, "languages": ["it"]}
29	Piz Ault	Brünntal	860	1969-03-05	t	{"phone": "+41 81 555 24 29", "radio": {"channel": "K-21", "callsign": "EAGLE 29"}, "languages": ["de"]}
30	Pointe d'Été	Val d'Orsa	1710	1972-12-21	f	{"phone": "+41 81 555 57 30", "radio": {"channel": "K-17", "callsign": "EAGLE 30"}, "languages": ["fr", "it"]}
31	Quelljoch	Côte Noire	1140	1962-01-22	t	{"phone": "+41 81 555 45 31", "radio": {"channel": "K-29", "callsign": "EAGLE 31"}, "languages": ["de", "it", "rm"]}
32	Rotstein	Dossa	1560	2014-07-22	f	{"phone": "+41 81 555 23 32", "radio": {"channel": "K-16", "callsign": "ÜTLI 32"}, "languages": ["de"]}
33	Sasso Bianco	Eisgrund	2180	\N	f	{"phone": "+41 81 555 55 33", "radio": {"channel": "K-08", "callsign": "IBEX 33"}, "languages": ["de", "rm"]}
34	Schöntal	Féline	1900	1993-09-29	f	{"phone": "+41 81 555 66 34", "radio": {"channel": "K-11", "callsign": "ÜTLI 34"}, "languages": ["de", "en"]}
35	Stafelalp	Arvental	1630	1970-12-09	f	{"phone": "+41 81 555 54 35", "radio": {"channel": "K-29", "callsign": "ÜTLI 35"}, "languages": ["en"]}
36	Tête Ronde	Brünntal	2030	1998-12-26	t	{"phone": "+41 81 555 26 36", "radio": {"channel": "K-12", "callsign": "ÜTLI 36"}, "languages": ["de"]}
37	Unter "Galgen"	Val d'Orsa	2280	1982-09-26	t	{"phone": "+41 81 555 38 37", "radio": {"channel": "K-28", "callsign": "IBEX 37"}, "languages": ["de", "fr"]}
38	Vorab	Côte Noire	2570	1989-10-07	f	{"phone": "+41 81 555 00 38", "radio": {"channel": "K-11", "callsign": "ÜTLI 38"}, "languages": ["it", "en"]}
39	Wyssegg	Dossa	1520	2007-06-19	t	{"radio": {"channel": "K-27", "callsign": "IBEX 39"}, "languages": ["fr", "en"]}
40	Zwächten	Eisgrund	2000	1998-12-12	f	{"phone": "+41 81 555 75 40", "radio": {"channel": "K-15", "callsign": "EAGLE 40"}, "languages": ["en"]}
\.


--
-- Name: bases bases_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.bases
    ADD CONSTRAINT bases_pkey PRIMARY KEY (base_id);


--
-- Name: bases bases_base_name_key; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.bases
    ADD CONSTRAINT bases_base_name_key UNIQUE (base_name);


--
-- PostgreSQL database dump complete
--
