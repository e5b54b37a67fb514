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
-- Name: curators; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.curators (
    curator_id integer NOT NULL,
    curator_name text NOT NULL,
    hired_on date NOT NULL,
    left_on date,
    families text[]
);


ALTER TABLE public.curators OWNER TO root;

--
-- Name: curators; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.curators (curator_id, curator_name, hired_on, left_on, families) FROM stdin;
1	Agnès Roux	2005-03-11	\N	{Asteraceae,Poaceae}
2	Bjørn Aas	2005-01-30	\N	{Fabaceae}
3	Carla O'Shea	2010-02-07	\N	{}
4	Dénes Kőrösi	2017-06-10	2023-12-23	{Rosaceae,Lamiaceae}
5	Elif Aydın	2004-08-03	\N	{Poaceae}
6	Fionn Mac an tSaoir	1999-02-24	\N	{Brassicaceae,Lamiaceae}
7	Gül Şahin	2000-04-11	\N	{Lamiaceae}
8	Håkon Lie	2002-03-17	\N	{Rosaceae,Lamiaceae}
9	Ines D'Alba	2015-05-10	\N	{Fabaceae}
10	Jürgen Groß	2001-08-14	2007-07-07	{Asteraceae,Lamiaceae}
11	Katya Ilić	2019-09-09	\N	\N
12	Łukasz Wójcik	2020-11-14	2023-02-28	{Rosaceae,Orchidaceae}
13	Maëlle Le Goff	2013-08-05	\N	{Fabaceae}
14	Niamh O'Dea	2018-04-09	\N	{Asteraceae,Fabaceae,Rosaceae}
15	Øystein Dahl	2005-07-22	\N	{}
16	Pilar Núñez	2018-11-02	\N	{Fabaceae}
17	Quentin Féry	2020-09-14	\N	{}
18	Rósa Jónsdóttir	1998-10-11	2009-08-11	{}
19	Sára Nagy	2009-06-30	\N	{Fabaceae,Orchidaceae}
20	Tomáš Dvořák	2019-02-23	2020-11-06	{Poaceae,Brassicaceae}
21	Urša Žagar	2014-06-15	\N	{}
22	Vít Černý	2001-06-30	\N	{}
23	William "Bill" Ash	2006-08-01	\N	{Fabaceae,Poaceae,Rosaceae}
24	Xènia Puig	2003-01-11	2021-02-19	{}
25	Yann Kervella	2014-12-19	2020-03-18	{Fabaceae,Rosaceae}
26	Zoë Marsh	2003-12-13	\N	{}
27	Ana Beltrán	2001-07-25	\N	{Fabaceae,Poaceae}
28	Bruno Sá	2009-09-19	\N	{}
29	Chiara Dell'Orto	2018-01-22	\N	{}
30	Daniel Weiß	2012-06-14	2024-05-22	{Lamiaceae}
31	Edda Sørli	2020-02-12	2024-12-27	{}
32	Filip Åkesson	2008-07-19	2022-02-24	{}
33	Greta Holm	2001-10-23	\N	\N
34	Hugo Brandão	2016-09-23	\N	{Fabaceae,Rosaceae,Orchidaceae}
35	Ida Løvik	1999-12-29	\N	{Fabaceae}
36	João Abreu	2002-10-08	\N	{Brassicaceae,Lamiaceae}
37	Klára Vlčková	2000-07-25	\N	{}
38	Lars Öberg	2021-03-30	\N	{Fabaceae,Orchidaceae}
39	Mirela Popa	2022-03-09	\N	{Rosaceae}
40	Noa Ben-Ami	2013-07-08	\N	{Brassicaceae,Orchidaceae}
\.


--
-- Name: curators curators_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.curators
    ADD CONSTRAINT curators_pkey PRIMARY KEY (curator_id);


--
-- PostgreSQL database dump complete
--
